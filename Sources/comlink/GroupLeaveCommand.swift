internal import ArgumentParser
internal import Remote

/// `comlink group leave NAME`: forgets a group.
struct GroupLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Forgets a group and its secret.")

  @Argument(help: "The group's name.") var name: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.groupLeave(name: name)) }
}
