internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink test`: tests of this station, and of the way to another.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Tests this station and the path to a peer.",
    discussion: "Tests end by themselves, or with Ctrl-C.",
    subcommands: [
      TestToneCommand.self, TestVoiceCommand.self, TestLoopCommand.self, TestSpeechCommand.self,
    ])
}

/// `comlink test loop PEER`: how long sound takes to a peer and back.
struct TestLoopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loop", abstract: "Measures the audio round trip to a peer.",
    discussion: """
      That peer's user must consent: comlink loopback on, there. For seven seconds this station sends eight short sweeps \
      in place of the microphone, and all peers hear them. The figure is the round trip from the microphone's port to \
      the output port; the sound cards' buffers, two periods at each end, come on top.
      """)

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(of: &client, to: .testLoop(peer: peer))
    guard case .loopTest(let result) = answer else { throw RemoteFailure.unexpectedAnswer }
    print(TestTable.text(result), terminator: "")
    // Half of them may fall to a network; without any there is no result.
    guard result.found > 0 else { throw ExitCode(65) }
  }
}

/// `comlink test speech`: judges how well speech gets through.
struct TestSpeechCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speech", abstract: "Rates speech through the codec, or to a peer and back.",
    discussion: """
      Rates four seconds of artificial speech by STOI, 0 to 1, through Opus with this station's present settings; nobody \
      hears it. With --peer it goes to that peer and back: its user must consent (comlink loopback on, there), and \
      all peers hear it.
      """)

  @Option(help: ArgumentHelp("Sends it to this peer and back.", valueName: "PEER")) var peer:
    String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(of: &client, to: .testSpeech(peer: peer))
    guard case .speechTest(let result) = answer else { throw RemoteFailure.unexpectedAnswer }
    print(TestTable.text(result), terminator: "")
  }
}

/// `comlink test tone`: a tone to the ear.
struct TestToneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tone", abstract: "Plays a tone on this station only; peers do not hear it.",
    discussion: "It is in the centre of the mix, like a peer at 0 dB: each side is 3 dB lower.")

  @Option(
    help: ArgumentHelp(
      "Peak level, dBFS, \(Self.levels.words()). (default: -20)", valueName: "DBFS"))
  var level: SignedNumber?
  @Option(help: ArgumentHelp("Frequency, Hz, \(Self.pitches.words()).", valueName: "HZ"))
  var hertz = 1000.0
  @Option(help: ArgumentHelp("Duration, s, \(Self.lengths.words()).", valueName: "N"))
  var seconds = 3.0
  @OptionGroup var remote: RemoteOptions

  private static let levels = ControlRequest.toneLevelRangeDBFS
  private static let pitches = ControlRequest.toneRangeHertz
  private static let lengths = ControlRequest.toneRangeSeconds

  private var levelDBFS: Double { level?.value ?? -20 }

  func validate() throws {
    guard Self.levels.contains(levelDBFS), Self.pitches.contains(hertz),
      Self.lengths.contains(seconds)
    else {
      throw ValidationError(
        "the level must be from \(Self.levels.words(joinedBy: " to ")) dBFS, the frequency from "
          + "\(Self.pitches.words(joinedBy: " to ")) Hz, the duration from "
          + "\(Self.lengths.words(joinedBy: " to ")) s")
    }
  }

  func run() throws {
    var client = try remote.connect(timeout: .seconds(seconds + 10))
    let request = ControlRequest.testTone(
      levelDBFS: levelDBFS, hertz: hertz, seconds: seconds)
    _ = try RemoteOptions.answer(of: &client, to: request)
  }
}

/// `comlink loopback on|off`: consents to a peer's tests.
struct LoopBackCommand: ParsableCommand {
  /// What there is to say.
  enum Position: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "loopback", abstract: "Sends a peer's voice back to it, for its tests.",
    discussion: """
      While it is on, this station sends that peer's voice to everybody instead of its own microphone. It ends after \
      --minutes, and when the peer leaves.
      """)

  @Argument(help: "on or off.") var position: Position
  @Argument(help: "The peer whose voice to send back; needs on.") var peer: String?
  @Option(help: ArgumentHelp("Duration, minutes, \(Self.range.words()).", valueName: "N"))
  var minutes = 5.0
  @OptionGroup var remote: RemoteOptions

  private static let range = ControlRequest.loopBackRangeMinutes

  func validate() throws {
    guard (position == .on) == (peer != nil) else {
      throw ValidationError("give on and a peer's name, or off")
    }
    guard Self.range.contains(minutes) else {
      throw ValidationError("the minutes must be from \(Self.range.words(joinedBy: " to "))")
    }
  }

  func run() throws {
    try remote.ask(peer.map { .loopBack(peer: $0, minutes: minutes) } ?? .loopBackOff)
  }
}
