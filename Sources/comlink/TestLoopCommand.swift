internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink test loop PEER`: how long sound takes to a peer and back.
struct TestLoopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "loop", abstract: "Measures how long sound takes to a peer and back.",
    discussion: """
      That peer's user has to consent: comlink loopback on, there. For seven seconds eight short sweeps are sent in \
      place of the microphone, and all peers hear them. The figure is from the microphone's port to the ear's, there and \
      back; the sound cards' own buffers, two periods at each end, come on top.
      """)

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(of: &client, to: .testLoop(peer: peer))
    guard case .loopTest(let result) = answer else { throw RemoteFailure.unexpectedAnswer }
    print(TrialTable.text(result), terminator: "")
    // Half of them may fall to a network; without any there is no result.
    guard result.found > 0 else { throw ExitCode(65) }
  }
}
