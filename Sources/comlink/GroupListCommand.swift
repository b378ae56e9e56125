internal import ArgumentParser
internal import Remote

/// `comlink group list`: the groups by name, and words to compare their secrets by.
struct GroupListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the groups that this node is in.",
    discussion:
      "The same words beside a name on two nodes: the same secret, unless somebody made another one "
      + "with these words on purpose (32 bits: good against mistakes, not against attackers).")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .groups(let groups) = try RemoteOptions.answer(of: &client, to: .groupList) else {
      throw RemoteFailure.unexpectedAnswer
    }
    for group in groups { print(PlainText.line(group)) }
    if groups.isEmpty { PlainText.note("this node is in no group") }
  }
}
