internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink test voice`: what the microphone is like.
struct TestVoiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voice", abstract: "Tells what your microphone is like, and what to do about it.",
    discussion: """
      Speak as you do at work, with pauses, until you hear three soft sweeps. It tells level, noise, clipping, hum and \
      echo of the untreated microphone. While a talk key is open the others hear you as ever.
      """)

  @Option(help: ArgumentHelp("How long to speak, s, \(Self.range.words()).", valueName: "N"))
  var seconds = 6.0
  @OptionGroup var remote: RemoteOptions

  private static let range = SoundRequest.testRangeSeconds

  func validate() throws {
    guard Self.range.contains(seconds) else {
      throw ValidationError("the seconds must be from \(Self.range.words(joinedBy: " to "))")
    }
  }

  func run() throws {
    var client = try remote.connect(timeout: .seconds(seconds + 20))
    PlainText.note("speak now as you do at work, with pauses, until you hear three soft sweeps")
    let answer = try RemoteOptions.answer(of: &client, to: .sound(.test(seconds: seconds)))
    guard case .voiceTest(let result) = answer else { throw RemoteFailure.unexpectedAnswer }
    print(TestTable.text(result), terminator: "")
    // Without speech there is no result.
    guard result.speechLevelDBFS != nil else { throw ExitCode(65) }
  }
}

/// `comlink voice monitor`: the own voice in the own ear, as the others get it.
struct VoiceMonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Lets you hear yourself as you are treated, until Ctrl-C.",
    discussion: """
      For headsets: it is refused where the microphone hears what you hear, for which it first plays three soft sweeps. \
      While a talk key is open the others hear you as ever.
      """)

  @Option(help: ArgumentHelp("At most so long, s, \(Self.range.words()).", valueName: "N"))
  var seconds = 60.0
  @OptionGroup var remote: RemoteOptions

  private static let range = SoundRequest.monitorRangeSeconds

  func validate() throws {
    guard Self.range.contains(seconds) else {
      throw ValidationError("the seconds must be from \(Self.range.words(joinedBy: " to "))")
    }
  }

  func run() throws {
    var client = try remote.connect(timeout: .seconds(seconds + 20))
    let answer = try RemoteOptions.answer(of: &client, to: .sound(.monitor(seconds: seconds)))
    if case .done(let note) = answer { PlainText.note(PlainText.cleaned(note)) }
  }
}
