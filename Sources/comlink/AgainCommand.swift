internal import ArgumentParser
internal import Remote

/// `comlink again [LINE]`: the last that was said on a line.
struct AgainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "again", abstract: "Plays the last that was said on a line at this node's ear.",
    discussion: """
      A node keeps the last 15 s of words of each line that it listens to, for 10 minutes, in memory only. Pauses are \
      left out.
      """)

  @Argument(help: "The line; without it the one where somebody was heard last.") var line: String?
  @Option(help: ArgumentHelp("The last so many seconds only, 1 to 15.", valueName: "SECONDS"))
  var seconds: Double?
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard seconds.map((1...15).contains) ?? true else {
      throw ValidationError("the seconds must be from 1 to 15")
    }
  }

  func run() throws { try remote.ask(.line(.again(line: line, seconds: seconds))) }
}
