internal import ArgumentParser
internal import Remote

/// `comlink test tone`: a tone to the ear.
struct TestToneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tone", abstract: "Plays a tone to this station's ear, and sends it to nobody.",
    discussion: "In the middle of the mix, like a peer at 0 dB: each side has 3 dB less.")

  @Option(
    help: ArgumentHelp(
      "Its peak, dBFS, \(Self.levels.words()). (default: -20)", valueName: "DBFS"))
  var level: SignedNumber?
  @Option(help: ArgumentHelp("Its pitch, Hz, \(Self.pitches.words()).", valueName: "HZ"))
  var hertz = 1000.0
  @Option(help: ArgumentHelp("How long it lasts, \(Self.lengths.words()).", valueName: "N"))
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
        "the level must be from \(Self.levels.words(joinedBy: " to ")) dBFS, the pitch from "
          + "\(Self.pitches.words(joinedBy: " to ")) Hz, the length from "
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
