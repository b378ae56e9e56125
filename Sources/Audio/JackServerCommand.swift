/// Which jackd to start: the sound card's if there is one, or the dummy driver's.
struct JackServerCommand: Hashable, Sendable {
  /// Opus' rate, so that nothing has to be resampled.
  static let sampleRate = 48_000
  /// 2.7 ms: what USB and on-board cards do without xruns.
  static let cardPeriodFrames = 128
  /// 1.3 ms: the dummy driver has no card to wait for.
  static let dummyPeriodFrames = 64
  /// Above the media loop, below the kernel's interrupt threads (50 without, up to 95 in a tuned system).
  static let realtimePriority = 70

  /// The driver and, for ALSA, the devices.
  enum Driver: Hashable, Sendable {
    case alsa(capture: String?, playback: String?, isUSB: Bool)
    case dummy
  }

  /// The sound driver.
  var driver: Driver
  /// The server's name.
  var serverName: String
  /// SCHED_FIFO priority of the server; nil: not permitted, ordinary scheduling.
  var realtimePriority: Int?
  /// Frames in a period; nil: as few as the driver is known to do.
  var periodFrames: Int?

  /// Takes the first real card that captures and plays.
  ///
  /// Otherwise the first that captures with the first that plays (their clocks drift apart, which jackd covers with an
  /// xrun now and then; better than half an intercom), or the only half there is; no real card: the dummy driver. A
  /// screen's loudspeaker comes last.
  static func driver(for cards: [SoundCard]) -> Driver {
    let real = cards.filter(\.isReal)
    let ordered = real.filter { !$0.isScreen } + real.filter(\.isScreen)
    let duplex = ordered.first { $0.captureDevice != nil && $0.playbackDevice != nil }
    let capture = duplex ?? ordered.first { $0.captureDevice != nil }
    let playback = duplex ?? ordered.first { $0.playbackDevice != nil }
    guard capture != nil || playback != nil else { return .dummy }
    return .alsa(
      capture: capture.flatMap { card in
        card.captureDevice.map { "hw:\(card.identifier),\($0)" }
      },
      playback: playback.flatMap { card in
        card.playbackDevice.map { "hw:\(card.identifier),\($0)" }
      },
      isUSB: [capture, playback].contains { $0?.driver == "USB-Audio" })
  }

  /// jackd's arguments, its own name not among them.
  var arguments: [String] {
    let scheduling = realtimePriority.map { ["-R", "-P", "\($0)"] } ?? ["-r"]
    return scheduling + ["-n", serverName] + driverArguments
  }

  private var driverArguments: [String] {
    let rate = ["-r", "\(Self.sampleRate)"]
    switch driver {
    case .dummy:
      return ["-d", "dummy"] + rate + period(orElse: Self.dummyPeriodFrames)
    case .alsa(let capture, let playback, let isUSB):
      // USB moves sound in packets of 1 ms; the third period covers their beat with ours.
      let periods = isUSB ? "3" : "2"
      return ["-d", "alsa"] + devices(capture: capture, playback: playback) + rate
        + period(orElse: Self.cardPeriodFrames) + ["-n", periods]
    }
  }

  private func period(orElse usual: Int) -> [String] {
    ["-p", "\(periodFrames ?? usual)"]
  }

  private func devices(capture: String?, playback: String?) -> [String] {
    switch (capture, playback) {
    case (let capture?, let playback?) where capture == playback: ["-d", capture]
    case (let capture?, let playback?): ["-C", capture, "-P", playback]
    case (let capture?, nil): ["-C", capture]
    case (nil, let playback?): ["-P", playback]
    case (nil, nil): []
    }
  }
}
