internal import ArgumentParser
internal import Remote

/// `comlink peers`: whom this node knows, and who asks to be let in.
struct PeersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract: "Lists the nodes that this one knows, and who asks to be let in.",
    discussion: """
      Names are what the nodes say of themselves; only the words (64 bits of the fingerprint) are proved. A node that \
      asks is declined after 30 s unless you accept it.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .acquaintances(let known) = try RemoteOptions.answer(of: &client, to: .peers) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(AcquaintanceTable.text(known), terminator: "")
    if known.isEmpty { PlainText.note("nobody is known yet") }
  }
}
