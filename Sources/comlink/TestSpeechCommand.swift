internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink test speech`: judges how well speech gets through.
struct TestSpeechCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "speech", abstract: "Judges speech through the codec, or to a peer and back.",
    discussion: """
      Four seconds of artificial speech are judged by STOI, from 0 to 1, after Opus as this station is set now; nobody \
      hears of it. With --peer they go to that peer and back, with its user's consent (comlink loopback on, there), and \
      all peers hear them.
      """)

  @Option(help: ArgumentHelp("There and back.", valueName: "PEER")) var peer: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(of: &client, to: .testSpeech(peer: peer))
    guard case .speechTest(let result) = answer else { throw RemoteFailure.unexpectedAnswer }
    print(TrialTable.text(result), terminator: "")
  }
}
