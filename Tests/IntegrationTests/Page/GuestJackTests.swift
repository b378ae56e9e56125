import Foundation
import Measurement
import Remote
import StatusSchema
import Testing

@testable import TestRig

/// A real browser that talks and hears by itself, with a microphone that plays a file.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "apt-get install chromium libnss3-tools"))
struct GuestJackTests {
  /// How long the sentence is that the phone's microphone hears, again and again.
  private static let seconds = 12.0
  /// STOI that is promised.
  private static let promised = 0.95

  @Test func `speech from a phone is heard on another station, and the other way round`() throws {
    let said = Array(try Speech.sentences().prefix(Int(Self.seconds * 48_000)))
    let directory = try TemporaryDirectory(prefix: "comlink-guest")
    defer { withExtendedLifetime(directory) {} }
    let stage = try Self.stage(saying: said, in: directory)
    let other = stage.stations[1]
    _ = try stage.node.ask(.talk(isOn: false))
    let page = try stage.page(.talk, name: "Anna")
    // Unprocessed: what is judged is the way, not the browser's echo canceller.
    try page.value(of: "localStorage.plain = '1'")
    let began = monotonicNanoseconds()
    try page.tap(".phone")
    try page.wait("document.querySelector('.phones.on')", within: 10)
    try stage.wait("Anna is a guest") { $0.guests?.first?.name == "Anna" }
    // From the tap until sound of the others is there.
    try page.tap(".key")
    try stage.wait("Anna talks") {
      $0.guests?.first?.isOn == true && $0.guests?.first?.isTalking == true
    }
    let firstSound = Double(monotonicNanoseconds() - began) / 1e9
    print("guest: heard \(firstSound) s after the tap")
    #expect(try !stage.node.status().node.talk, "the station's own microphone stays closed")

    // On the other station: a port of its own.
    let port = try waitForPort(of: other)
    try other.listen(to: ["mix_left", port])
    var score = 0.0
    // The best of three here as well.
    for _ in 1...3 where score < Self.promised {
      try other.ear.start()
      pause(seconds: Self.seconds + 4)
      other.ear.stop()
      score = max(score, Self.score(said: said, heard: other.ear.recording(1)) ?? 0)
    }
    print("guest: STOI at the other station \(score)")
    #expect(score >= Self.promised)

    // And back: what the page plays, taken where it goes to the loudspeaker.
    // A machine that stalls while it is recorded is no fault: the best of three.
    var back = 0.0
    for _ in 1...3 where back < Self.promised {
      let recorded = Self.samples(try page.value(of: Self.recorder))
      back = max(back, Self.score(said: try Speech.sentences(), heard: recorded) ?? 0)
    }
    print("guest: STOI at the phone \(back)")
    #expect(back >= Self.promised)
    try page.tap(".phone")
    try stage.wait("the guest has left") { $0.guests == nil }
  }

  @Test func `a phone hears another through the station, and it is told how soon`() throws {
    let said = Array(try Speech.sentences().prefix(Int(Self.seconds * 48_000)))
    let directory = try TemporaryDirectory(prefix: "comlink-guest")
    defer { withExtendedLifetime(directory) {} }
    let stage = try Self.stage(saying: said, periodFrames: 128, in: directory)
    _ = try stage.node.ask(.talk(isOn: false))
    // Only the phone is heard.
    _ = try stage.node.ask(.mute(peer: "foh", isOn: true))
    let page = try stage.page(.talk, name: "Anna")
    try page.value(of: "localStorage.plain = '1'")
    try page.value(of: Self.stopwatch)
    try page.tap(".phone")
    try page.wait("document.querySelector('.phones.on')")
    try page.tap(".key")
    try stage.wait("Anna talks") { $0.guests?.first?.isTalking == true }
    let first = try #require(Double(try page.value(of: Self.secondGuest)))
    print("guest: first sound \(first) ms after the tap")
    let figures = try page.value(of: Self.lag, within: 60).split(separator: " ").map { Double($0) }
    let (lag, devices) = (try #require(figures[0]), try #require(figures[1]))
    print("guest: phone to phone \(lag) ms, and \(devices) ms for the devices")
    // Where it goes.
    let coding = try page.value(of: "spans()")
    let guest = try #require(
      try stage.node.status().guests?.max {
        $0.playoutDelayMilliseconds < $1.playoutDelayMilliseconds
      })
    print(
      "guest: of that \(guest.playoutDelayMilliseconds) ms in the station's jitter buffer "
        + "(jitter \(guest.jitterMilliseconds) ms), \(coding)")
    // How soon hangs on the machine, and is a figure; the script counts only sounds that are alike.
    #expect(lag > 0)
  }

  private static func stage(
    saying said: [Float], periodFrames: Int = 256, in directory: TemporaryDirectory
  ) throws -> PageStage {
    let file = directory.file("said.wav")
    try WAV.write(Sound(channels: [said], sampleRate: 48_000), to: file)
    return try PageStage(
      others: 1, recordSeconds: 60, periodFrames: periodFrames,
      browserArguments: [
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        "--use-file-for-fake-audio-capture=\(file)",
        "--autoplay-policy=no-user-gesture-required",
      ])
  }

  private func waitForPort(of station: Station) throws -> String {
    var port: String?
    try waitUntil("the guest is heard there", within: 10) { () throws(RigError) in
      port = try station.node.status().peers.first?.guests?.first?.port
      return port?.isEmpty == false
    }
    return (port ?? "").split(separator: ":", maxSplits: 1).last.map(String.init) ?? ""
  }
}

extension GuestJackTests {
  /// Makes the same page another guest, which only listens; milliseconds until it plays something.
  private static let secondGuest = """
    (async () => {
      delete sessionStorage.guest;
      const began = performance.now();
      const second = await import("/guest.js?second");
      const starts = second.startGuest();
      while (!second.guest.node) await new Promise((resolve) => setTimeout(resolve, 2));
      const ear = globalThis.ear = new AnalyserNode(second.guest.context, { fftSize: 32768 });
      second.guest.node.connect(ear);
      await starts;
      globalThis.second = second.guest;
      const samples = new Float32Array(256);
      do {
        await new Promise((resolve) => setTimeout(resolve, 2));
        ear.getFloatTimeDomainData(samples);
      } while (samples.every((sample) => Math.abs(sample) < 0.001));
      return performance.now() - began;
    })()
    """

  /// Times how long the browser's coders keep a frame: median and most of the last of each.
  private static let stopwatch = """
    (() => {
      const all = { encode: [], decode: [] };
      const timed = (Coder, name) => class extends Coder {
        constructor({ output, error }) {
          const begun = new Map();
          super({ error, output(chunk, more) {
            all[name].push(performance.now() - begun.get(chunk.timestamp));
            begun.delete(chunk.timestamp);
            output(chunk, more);
          } });
          this.begun = begun;
        }
        [name](data) {
          this.begun.set(data.timestamp, performance.now());
          super[name](data);
        }
      };
      globalThis.AudioEncoder = timed(AudioEncoder, "encode");
      globalThis.AudioDecoder = timed(AudioDecoder, "decode");
      globalThis.spans = () => Object.entries(all).map(([name, spans]) => {
        const last = spans.slice(-500).sort((one, other) => one - other);
        return `${name} ${last[last.length >> 1]?.toFixed(1)} ms, ${last.at(-1)?.toFixed(1)} at most`;
      }).join(", ");
    })()
    """

  /// By how much the second guest's loudspeaker is behind the first one's microphone, as the browser's audio has them:
  /// the median of 15 looks, ms; and what both devices add.
  private static let lag = """
    import("/guest.js").then(async ({ guest }) => {
      const mouth = new AnalyserNode(guest.context, { fftSize: 32768 });
      guest.source.connect(mouth);
      const coarse = (samples) => Float32Array.from(
        { length: 8192 }, (_, at) => samples.subarray(4 * at, 4 * at + 4).reduce((sum, one) => sum + one));
      const [said, heard] = [new Float32Array(32768), new Float32Array(32768)];
      const lags = [];
      for (let look = 0; look < 200 && lags.length < 15; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        mouth.getFloatTimeDomainData(said);
        ear.getFloatTimeDomainData(heard);
        const [from, to] = [coarse(said), coarse(heard)];
        let best = [0, 0];
        for (let lag = 0; lag < 3500; lag += 1) {
          let [both, one, other] = [0, 1e-9, 1e-9];
          for (let at = 3600; at < 8192; at += 1) {
            both += to[at] * from[at - lag];
            one += from[at - lag] ** 2;
            other += to[at] ** 2;
          }
          const alike = both / Math.sqrt(one * other);
          if (alike > best[0]) best = [alike, lag];
        }
        if (best[0] > 0.7) lags.push(best[1] / 12);
      }
      const { latency = 0 } = guest.source.mediaStream.getAudioTracks()[0].getSettings();
      const devices = latency + second.context.baseLatency + second.context.outputLatency;
      return `${lags.sort((one, other) => one - other)[lags.length >> 1]} ${devices * 1000}`;
    })
    """

  /// Records 10 s of what the page plays, on its way to the loudspeaker; as base64 of 16-bit samples.
  private static let recorder = """
    import("/guest.js").then(({ guest }) => new Promise((resolve) => {
      const { context, node } = guest;
      const taker = context.createScriptProcessor(4096, 1, 1);
      const taken = [];
      taker.onaudioprocess = ({ inputBuffer }) => {
        taken.push(Int16Array.from(inputBuffer.getChannelData(0), (sample) => sample * 32767));
        if (taken.length * 4096 < 10 * 48000) return;
        taker.onaudioprocess = null;
        const octets = new Uint8Array(taken.length * 8192);
        taken.forEach((part, index) => octets.set(new Uint8Array(part.buffer), index * 8192));
        let text = "";
        for (let at = 0; at < octets.length; at += 8192) {
          text += String.fromCharCode(...octets.subarray(at, at + 8192));
        }
        resolve(btoa(text));
      };
      node.connect(taker);
      taker.connect(context.destination);
    }))
    """

  private static func samples(_ text: String) -> [Float] {
    let data = Data(base64Encoded: text) ?? Data()
    return stride(from: 0, to: data.count - 1, by: 2).map { at in
      Float(Int16(truncatingIfNeeded: Int(data[at]) | Int(data[at + 1]) << 8)) / 32768
    }
  }

  /// STOI of the 6 s of what was heard that are best understood as a part of what was said; what is said goes round.
  private static func score(said: [Float], heard: [Float]) -> Double? {
    let frames = 6 * 48_000
    guard heard.count >= frames + 48_000 else { return nil }
    let part = Array(heard.suffix(frames + 24_000).prefix(frames))
    let spoken = said + said
    guard let lag = bestLag(of: part, in: spoken) else { return nil }
    return Intelligibility.stoi(
      said: Array(spoken[lag..<lag + frames]), heard: part, sampleRate: 48_000)
  }

  /// Where a part correlates best, found at a sixteenth of the rate and refined.
  private static func bestLag(of part: [Float], in whole: [Float]) -> Int? {
    func coarse(_ samples: [Float], _ step: Int) -> [Float] {
      stride(from: 0, to: samples.count - step, by: step).map { start in
        samples[start..<start + step].reduce(0, +)
      }
    }
    func lag(_ part: [Float], _ whole: [Float], _ range: Range<Int>) -> Int? {
      var best: (lag: Int, sum: Float)?
      for lag in range {
        var sum: Float = 0
        for index in part.indices { sum += part[index] * whole[lag + index] }
        if sum > best?.sum ?? 0 { best = (lag, sum) }
      }
      return best?.lag
    }
    let step = 24
    let (few, many) = (coarse(part, step), coarse(whole, step))
    guard many.count > few.count,
      let rough = lag(few, many, 0..<(many.count - few.count))
    else { return nil }
    let first = max(0, rough * step - 2 * step)
    let last = min(whole.count - part.count, rough * step + 2 * step)
    guard first < last else { return nil }
    let short = Array(part.prefix(96_000))
    return lag(short, whole, first..<last)
  }
}
