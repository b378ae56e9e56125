internal import ArgumentParser
internal import Foundation
internal import Lines
internal import Remote
internal import StatusSchema

/// `comlink ear [--volume DB …]`: what the user's ear gets.
struct EarCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ear", abstract: "Shows or changes how loud you hear, and what gives way to what.",
    discussion: """
      Without settings it shows them. Changes are heard at once, without a click, and kept.
      """)

  @OptionGroup var settings: EarOptions
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    let changes = settings.changes
    guard changes.isEmpty else { return try remote.ask(.ear(changes: changes)) }
    var client = try remote.connect()
    guard case .status(let status) = try RemoteOptions.answer(of: &client, to: .status),
      let ear = status.node.ear
    else { throw RemoteFailure.unexpectedAnswer }
    let lines = EarSettings.Name.allCases.map { name in
      let value = ear[name.rawValue] ?? "-"
      return "\(name.rawValue.padding(toLength: 21, withPad: " ", startingAt: 0))\(value)"
    }
    _ = StandardOutput.write(lines.map { PlainText.cleaned($0) + "\n" }.joined())
  }
}

/// The settings of the ear; those that are given.
struct EarOptions: ParsableArguments {
  @Option(help: Self.help(.volume)) var volume: String?
  @Option(help: Self.help(.floor)) var floor: String?
  @Option(help: Self.help(.ceiling)) var ceiling: String?
  @Option(help: Self.help(.priorityDim)) var priorityDim: String?
  @Option(help: Self.help(.programDim)) var programDim: String?
  @Option(help: Self.help(.programDimTalking)) var programDimTalking: String?
  @Option(help: Self.help(.talkDim)) var talkDim: String?
  @Option(help: Self.help(.sidetoneTracking)) var sidetoneTracking: String?
  @Option(help: Self.help(.level)) var level: String?
  @Option(help: Self.help(.places)) var places: String?
  @Option(help: Self.help(.callTone)) var callTone: String?
  @Option(help: Self.help(.callerLatch)) var callerLatch: String?
  @Option(help: Self.help(.aloudPriority)) var aloudPriority: String?

  /// By name, as they were written: what a node is asked for.
  var changes: [String: String] {
    let given: [(EarSettings.Name, String?)] = [
      (.volume, volume), (.floor, floor), (.ceiling, ceiling), (.priorityDim, priorityDim),
      (.programDim, programDim), (.programDimTalking, programDimTalking), (.talkDim, talkDim),
      (.sidetoneTracking, sidetoneTracking), (.level, level), (.places, places),
      (.callTone, callTone),
      (.callerLatch, callerLatch), (.aloudPriority, aloudPriority),
    ]
    return given.reduce(into: [:]) { changes, one in
      if let text = one.1 { changes[one.0.rawValue] = NegativeNumber.plain(text) }
    }
  }

  private static func help(_ name: EarSettings.Name) -> ArgumentHelp {
    ArgumentHelp("\(name.summary)", valueName: name.placeholder)
  }
}

/// `comlink level auto|off`: talkers of like loudness.
struct LevelCommand: ParsableCommand {
  /// What there is to say.
  enum Position: String, ExpressibleByArgument, CaseIterable {
    case auto, off
  }

  static let configuration = CommandConfiguration(
    commandName: "level", abstract: "Brings talkers to like loudness in your ear.",
    discussion: """
      auto raises who is low and lowers who is loud, by 12 dB at most, while they speak; noise alone is never raised. Your \
      own gain for a peer comes on top. It is the same as: comlink ear --level auto.
      """)

  @Argument(help: "auto or off.") var position: Position
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.ear(changes: ["level": position.rawValue])) }
}
