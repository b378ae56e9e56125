internal import ArgumentParser

/// `comlink group`: the groups that this node is in.
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Makes, joins, lists and leaves groups.",
    discussion: """
      A group is a name and a secret of 32 random bytes. The invitation is a text with both: whoever has \
      it has the group's secret.
      """,
    subcommands: [
      GroupNewCommand.self, GroupJoinCommand.self, GroupListCommand.self, GroupLeaveCommand.self,
    ])
}
