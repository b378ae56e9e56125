internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink id`: who this node is.
struct IDCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "id", abstract: "Shows this node's fingerprint, as letters and as words.",
    discussion: """
      The fingerprint is the node's stable ID: a hash of its public key, the same at every start. The \
      words are its first 64 bits, to be compared by two people; neither is a secret.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer, let id = status.node.id,
      let words = status.node.idWords
    else { throw RemoteFailure.unexpectedAnswer }
    print("name         \(PlainText.cleaned(status.node.name))")
    print("fingerprint  \(PlainText.cleaned(id))")
    print("words        \(PlainText.cleaned(words))")
    if let problem = status.node.identityProblem {
      print("for this run only: \(PlainText.cleaned(problem))")
    }
    if let problem = status.node.trustProblem {
      print("trust unknown: \(PlainText.cleaned(problem))")
    }
  }
}
