internal import StatusSchema

/// Whether JACK runs with a period that suits, and does not lose any.
struct SoundCheck: Check {
  /// Nil: no daemon to ask.
  var audio: AudioStatus?
  var uptimeSeconds: Double
  var wakeLatencyP99Microseconds: Double
  /// Whether the daemon is systemd's service.
  var isService = false
  /// What there is to play on, where there is no daemon to ask; nil: unknown.
  var server: JackServerFacts?
  /// Which PipeWire there is to play on instead.
  var pipeWire = PipeWireFacts()
}

extension SoundCheck {
  /// Below it a USB card, which moves sound once a millisecond, and a Pi do not keep up.
  private static let shortestMilliseconds = 1.3
  /// Above it each way through JACK is heard as an echo in the headphones.
  private static let longestMilliseconds = 10.7
  /// Per minute: one in ten is a machine's hiccup, more than six is heard all the time.
  private static let fewXruns = 0.1
  private static let manyXruns = 6.0
  /// Counts of the first minutes are for start-up and connections.
  private static let leastMinutes = 10.0

  init(_ system: System) {
    audio = system.patient.status?.audio
    uptimeSeconds = system.patient.status?.node.uptimeSeconds ?? 0
    wakeLatencyP99Microseconds = system.patient.status?.loop.wakeLatencyP99Microseconds ?? 0
    isService = system.isService
    // The service's servers are another user's.
    if audio == nil, !isService { server = system.probes.jackServer() }
    pipeWire = system.probes.pipeWire()
  }

  var findings: [Finding] {
    guard let audio else { return server.map(findings) ?? besideService }
    if audio.state == .freewheeling { return [freewheeling(audio)] }
    guard audio.state == .running, audio.sampleRate > 0 else { return [silent(audio)] }
    return [running(audio), rate(audio), period(audio), xruns(audio), latency(audio)]
  }

  /// Of a desktop on which the service is installed and does not answer.
  private var besideService: [Finding] {
    guard isService, let words = pipeWire.words(isService: true) else { return [] }
    return [
      Finding(
        check: "jack", level: .advice, seen: words,
        meaning:
          "The service plays on a jackd of its own user; on a desktop comlinkd is the user's.",
        fix: pipeWire.cures(isService: true))
    ]
  }

  /// Of a server without a daemon.
  private func findings(_ server: JackServerFacts) -> [Finding] {
    switch server {
    case .missing(let name):
      return [
        Finding(
          check: "jack", level: .advice, seen: missing("this user runs no JACK server \(name)"),
          meaning: "comlinkd waits for one; there is no audio without JACK.", fix: starts)
      ]
    case .refused(let reason):
      return [
        Finding(
          check: "jack", level: .problem, seen: reason,
          meaning: "It would refuse comlinkd, too.",
          fix: [restart])
      ]
    case .silent(let name):
      return [stalled(AudioStatus(state: .stalled, server: name, client: ""))]
    case .running(let name, let sampleRate, let periodFrames):
      let audio = AudioStatus(
        state: .running, server: name, client: "", sampleRate: sampleRate,
        periodFrames: periodFrames)
      // PipeWire runs each client's wish, and comlinkd's is its profile's.
      return [running(audio), rate(audio)] + (pipeWire.isDefault ? [] : [period(audio)])
    }
  }

  private var starts: [String] {
    let cures = pipeWire.cures(isService: false)
    // jackd and PipeWire take the card from each other.
    guard cures.isEmpty else { return cures }
    return [
      "start it as comlinkd's user: jackd -R -P 70 -d alsa -d hw:USB -r 48000 -p 128 -n 2 (aplay -l lists the cards)"
    ]
  }

  private func running(_ audio: AudioStatus) -> Finding {
    guard let problem = audio.problem else {
      let whose = audio.implementation.map { " (\($0))" } ?? ""
      return Finding(check: "jack", level: .ok, seen: "server \(audio.server) runs\(whose)")
    }
    return Finding(
      check: "jack", level: .advice, seen: problem,
      meaning: "Audio runs; ports and connections may be wrong.",
      fix: ["when it suits: \(isPipeWire(audio) ? PipeWireFacts.restart : restart)"])
  }

  private func stalled(_ audio: AudioStatus) -> Finding {
    Finding(
      check: "jack", level: .problem,
      seen: audio.problem ?? "server \(audio.server) runs no period",
      meaning: "There is no audio until it resumes; comlinkd waits for it and needs no restart.",
      fix: isPipeWire(audio)
        ? ["if the sound card hangs, unplug and replug it; then \(PipeWireFacts.restart)"]
        : [
          "if jackd is stopped (T in: ps -C jackd -o stat,pid): kill -CONT PID",
          "if the sound card hangs, unplug and replug it; then \(restart)",
        ])
  }

  private var restart: String {
    isService ? "sudo systemctl restart 'jackd@*'" : "restart jackd"
  }

  private func silent(_ audio: AudioStatus) -> Finding {
    if audio.state == .stalled { return stalled(audio) }
    return Finding(
      check: "jack", level: .problem,
      seen: audio.state == .failed
        ? audio.problem ?? "server \(audio.server) refuses the client"
        : missing("comlinkd's user runs no JACK server \(audio.server)"),
      meaning: "There is no audio without JACK.",
      fix: isService
        ? pipeWire.cures(isService: true) + [
          "sudo systemctl enable --now jackd@USB (/proc/asound/cards has the cards' IDs in brackets)"
        ]
        : starts)
  }

  private func missing(_ words: String) -> String {
    ([words] + [pipeWire.words(isService: isService)].compactMap { $0 }).joined(separator: "; ")
  }

  private func freewheeling(_ audio: AudioStatus) -> Finding {
    Finding(
      check: "jack", level: .advice, seen: "server \(audio.server) freewheels, as for an export",
      meaning: "Nothing is sent or played until that ends.",
      fix: ["end the export, or wait for its end"])
  }

  /// Where no daemon tells, by the library that the doctor has itself.
  private func isPipeWire(_ audio: AudioStatus) -> Bool {
    audio.implementation?.hasPrefix("PipeWire") ?? pipeWire.isDefault
  }

  private func rate(_ audio: AudioStatus) -> Finding {
    guard audio.sampleRate != 48_000 else {
      return Finding(check: "rate", level: .ok, seen: "48000 Hz")
    }
    return Finding(
      check: "rate", level: .advice, seen: "\(audio.sampleRate) Hz",
      meaning: "All audio is resampled to and from 48000 Hz, which costs CPU and 0.4 ms.",
      fix: [
        isPipeWire(audio)
          ? "pw-metadata -n settings 0 clock.force-rate 48000"
          : "\(option("RATE", "-r", 48_000)), if the card supports it"
      ])
  }

  private func period(_ audio: AudioStatus) -> Finding {
    let milliseconds = 1000 * Double(audio.periodFrames) / Double(audio.sampleRate)
    let tenths = Int((10 * milliseconds).rounded())
    let seen = "\(audio.periodFrames) frames, \(tenths / 10).\(tenths % 10) ms"
    if milliseconds < Self.shortestMilliseconds {
      return Finding(
        check: "period", level: .advice, seen: seen,
        meaning: "Too short for USB cards and a Raspberry Pi.",
        fix: [period(audio, frames: 128)])
    }
    guard milliseconds > Self.longestMilliseconds else {
      return Finding(check: "period", level: .ok, seen: seen)
    }
    return Finding(
      check: "period", level: .advice, seen: seen,
      meaning: "Each voice gets two periods more delay than necessary.",
      fix: ["\(period(audio, frames: 256)); 128 where that has no xruns"])
  }

  private func xruns(_ audio: AudioStatus) -> Finding {
    let lost = audio.xruns + audio.missedPeriods
    let perMinute = Double(lost) / max(Self.leastMinutes, uptimeSeconds / 60)
    let seen =
      "\(audio.xruns) xruns and \(audio.missedPeriods) missed periods in \(Int(uptimeSeconds / 60)) min"
    guard perMinute > Self.fewXruns else {
      return Finding(check: "xruns", level: .ok, seen: seen)
    }
    return Finding(
      check: "xruns", level: perMinute > Self.manyXruns ? .problem : .advice, seen: seen,
      meaning: "Each is a click or a dropout that everybody hears.",
      fix: [
        period(audio, frames: max(128, 2 * audio.periodFrames))
          + (isPipeWire(audio) ? "" : "; \(option("PERIODS", "-n", 3)) for USB"),
        "see rtprio and governor here",
      ])
  }

  private func period(_ audio: AudioStatus, frames: Int) -> String {
    isPipeWire(audio)
      // comlinkd asks for its profile's; a JACK program that was there before holds its own.
      ? "pw-metadata -n settings 0 clock.force-quantum \(frames) (0 undoes it)"
      : option("PERIOD", "-p", frames)
  }

  /// An option of jackd's, by the service's name for it or by its own.
  private func option(_ variable: String, _ letter: String, _ value: Int) -> String {
    isService
      ? "\(variable)=\(value) in /etc/comlink/jackd-CARD.conf" : "jackd … \(letter) \(value)"
  }

  private func latency(_ audio: AudioStatus) -> Finding {
    let microseconds = Int(wakeLatencyP99Microseconds)
    let seen = "the media loop wakes within \(microseconds) µs (99th percentile)"
    let period = 1e6 * Double(audio.periodFrames) / Double(audio.sampleRate)
    guard wakeLatencyP99Microseconds > period else {
      return Finding(check: "wake-up", level: .ok, seen: seen)
    }
    return Finding(
      check: "wake-up", level: .advice, seen: seen,
      meaning: "That is longer than a period: audio is late or drops out.",
      fix: ["see rtprio, governor and power here; stop other real-time programs"])
  }
}
