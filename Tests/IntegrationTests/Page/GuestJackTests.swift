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
    let looks = try page.value(of: Self.looks, within: 60)
    // Where it goes, before anything is worked out in the page: that would hold up its sound.
    let guest = try #require(
      try stage.node.status().guests?.max {
        $0.playoutDelayMilliseconds < $1.playoutDelayMilliseconds
      })
    let coding = try page.value(of: "spans()")
    let lags = try page.value(of: Self.lags, within: 60)
      .split(separator: " ").compactMap { Double($0) }
    try #require(lags.count == 5, "\(looks), \(lags)")
    let (lag, devices) = (lags[3], lags[4])
    print("guest: phone to phone \(lag) ms, and \(devices) ms for the devices; \(looks)")
    print(
      "guest: of that \(lags[0]) ms from the microphone to the page, \(lags[1]) ms through the station, "
        + "\(lags[2]) ms from the page to the loudspeaker")
    print(
      "guest: \(guest.playoutDelayMilliseconds) ms in the station's jitter buffer "
        + "(jitter \(guest.jitterMilliseconds) ms), \(guest.concealed) made up of \(guest.received), "
        + coding)
    // How soon hangs on the machine, and is a figure; the script counts only sounds that are alike.
    #expect(lag > 0)
  }

  @Test func `a phone with neither Opus nor 48 kHz talks, and gets over what happens to phones`()
    throws
  {
    let said = Array(try Speech.sentences().prefix(Int(Self.seconds * 48_000)))
    let directory = try TemporaryDirectory(prefix: "comlink-guest")
    defer { withExtendedLifetime(directory) {} }
    let stage = try Self.stage(saying: said, in: directory)
    let page = try stage.page(.talk, name: "Anna")
    try page.value(of: Self.poorPhone)
    try page.tap(".phone")
    try page.wait("document.querySelector('.phones.on')")
    func talk() throws {
      try page.tap(".key")
      try stage.wait("Anna talks") { $0.guests?.first?.isTalking == true }
    }
    try talk()
    // Samples, as many as 48 kHz have, whatever the microphone's rate; both ways.
    let sent = try page.value(of: Self.sentFrames).split(separator: " ").compactMap { Double($0) }
    try #require(sent.count == 3, "\(sent)")
    #expect(sent[0] == 2 && sent[1] == 44_100)
    #expect(abs(sent[2] - 100) < 4, "\(sent[2]) frames in a second of the phone's own clock")
    try page.wait(Self.isHeard)
    #expect(try page.value(of: "wakeLocks[0]") == "screen")

    // A call takes the microphone: the page asks for it again.
    try page.value(
      of: """
        (() => {
          globalThis.lost = guest.source.mediaStream;
          const [track] = lost.getTracks();
          track.stop();
          track.dispatchEvent(new Event("ended"));
        })()
        """)
    try page.wait("guest.source.mediaStream !== lost")
    let received = try stage.node.status().guests?.first?.received ?? 0
    try stage.wait("Anna talks on") { $0.guests?.first?.received ?? 0 > received + 50 }

    // Who loads the page again is the same guest, with all keys up.
    let number = try stage.node.status().guests?.first?.number
    try page.value(of: "location.reload()")
    try page.wait("document.querySelector('.phones.on')")
    #expect(try stage.node.status().guests?.map(\.number) == [number])
    try stage.wait("all its keys are up") { $0.guests?.first?.isOn == false }
    try page.wait("document.querySelector('.notice').innerText.includes('You are muted')")
    try talk()
    // Who finds no station asks ever less often.
    let pauses = try page.value(of: Self.attempts).split(separator: " ").compactMap { Double($0) }
    try #require(pauses.count == 3)
    #expect(pauses[2] > 1.5 * pauses[0], "\(pauses)")
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

  /// Makes the browser one without a coder, whose microphone is at 44.1 kHz, and notes what it locks and sends.
  private static let poorPhone = """
    (() => {
      delete globalThis.AudioEncoder;
      const Context = AudioContext;
      globalThis.AudioContext = class extends Context {
        constructor({ sampleRate, ...more }) {
          if (sampleRate) throw new DOMException("another rate", "NotSupportedError");
          super({ ...more, sampleRate: 44100 });
        }
      };
      globalThis.wakeLocks = [];
      Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
        wakeLocks.push(kind);
        return { released: false, release: async () => {} };
      } } });
      globalThis.sent = [];
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function(message) {
        if (typeof message !== "string") sent.push(message);
        return send.call(this, message);
      };
      return import("/guest.js").then(({ guest }) => { globalThis.guest = guest; });
    })()
    """

  /// The kind of what it sends, its rate, and the frames in a second of its own clock.
  private static let sentFrames = """
    (async ({ context }) => {
      const numbers = () => new Set(sent.map((message) => new DataView(message.buffer).getUint32(1))).size;
      const [before, began] = [numbers(), context.currentTime];
      while (context.currentTime < began + 4) await new Promise((resolve) => setTimeout(resolve, 5));
      return [sent.at(-1)[0], context.sampleRate, (numbers() - before) / (context.currentTime - began)].join(" ");
    })(guest)
    """

  /// Whether something is played, at last.
  private static let isHeard = """
    (() => {
      if (!globalThis.ear) guest.node.connect(globalThis.ear = new AnalyserNode(guest.context));
      const samples = new Float32Array(1024);
      ear.getFloatTimeDomainData(samples);
      return samples.some((sample) => Math.abs(sample) > 0.01);
    })()
    """

  /// Milliseconds between attempts to connect to what is not there.
  private static let attempts = """
    import("/link.js").then(({ keepOpen }) => new Promise((resolve) => {
      const times = [];
      const wire = keepOpen("nowhere", () => {}, () => {}, () => {
        times.push(performance.now());
        if (times.length < 4) return;
        wire.end();
        resolve(times.slice(1).map((time, at) => time - times[at]).join(" "));
      });
    }))
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

  /// Keeps what is at four points of the way at the same moment, 16 times, once the start is over.
  ///
  /// They are the first guest's microphone, its frames on the page, what the second guest decoded, and its loudspeaker.
  /// Nothing is worked out yet: the page's thread has sound to carry.
  private static let looks = """
    import("/guest.js").then(async ({ guest }) => {
      const length = 32768, mouth = new AnalyserNode(guest.context, { fftSize: length });
      guest.source.connect(mouth);
      const tape = () => {
        const ring = new Float32Array(length);
        let end = 0;
        return {
          add(samples) { for (const sample of samples) ring[end++ % length] = sample; },
          get: () => Float32Array.from(ring, (_, at) => ring[(end + at) % length]),
        };
      };
      const ears = (node) => {
        const samples = new Float32Array(length);
        node.getFloatTimeDomainData(samples);
        return samples;
      };
      const [framed, decoded] = [tape(), tape()];
      const pauses = [];
      let last;
      guest.node.port.addEventListener("message", ({ data }) => {
        framed.add(data);
        const now = performance.now();
        pauses.push(now - (last ?? now));
        last = now;
      });
      const { port } = second.node, post = port.postMessage.bind(port);
      port.postMessage = (samples, moved) => {
        if (samples) decoded.add(samples);
        post(samples, moved);
      };
      globalThis.kept = [];
      // That the second guest came held up the first, for which the station waits 12 s.
      await new Promise((resolve) => setTimeout(resolve, 13000));
      while (kept.length < 16) {
        await new Promise((resolve) => setTimeout(resolve, 250 + 100 * Math.random()));
        kept.push([ears(mouth), framed.get(), decoded.get(), ears(ear)]);
      }
      const long = pauses.filter((pause) => pause > 40);
      return `${kept.length} looks, ${long.length} pauses above 40 ms, ${Math.round(Math.max(...pauses))} at most`;
    })
    """

  /// By how much each of these points is behind the one before, the last behind the first, and what both devices add:
  /// medians of the looks that are alike, ms.
  private static let lags = """
    import("/guest.js").then(({ guest }) => {
      const coarse = (samples) => Float32Array.from(
        { length: 8192 }, (_, at) => samples.subarray(4 * at, 4 * at + 4).reduce((sum, one) => sum + one));
      const behind = (from, to) => {
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
        return best[0] > 0.7 ? best[1] / 12 : NaN;
      };
      const lags = [[], [], [], []];
      for (const points of kept) {
        const [mouth, framed, decoded, heard] = points.map(coarse);
        const found = [behind(mouth, framed), behind(framed, decoded), behind(decoded, heard), behind(mouth, heard)];
        if (!found.some(isNaN)) found.forEach((lag, at) => lags[at].push(lag));
      }
      const { latency = 0 } = guest.source.mediaStream.getAudioTracks()[0].getSettings();
      const devices = latency + second.context.baseLatency + second.context.outputLatency;
      const middle = (lags) => lags.sort((one, other) => one - other)[lags.length >> 1];
      return [...lags.map(middle), devices * 1000].map((one) => one?.toFixed(1)).join(" ");
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
