import TestKit

/// What the program was asked for.
struct LinkOptions {
  static let help = """
    comlink-link --nodes A,B[,C...] [LINK OPTIONS] [--seed N] [--seconds N] [--orders PIPE] [--droughts FILE]
                 [-- COMMAND...]

    Joins network namespaces comlink-A, comlink-B ... by a switch whose every outlet is a bad link.
    Runs until Ctrl-C, for so many seconds, or as long as COMMAND runs; then removes the namespaces.

    \(LinkScenario.usage)

    Each node has a link of its own for what comes to it; none for what it sends. The same seed gives
    the same packets at the same times the same fate.

    PIPE is a named pipe, made at the start and removed at the end, that takes lines: "split A,B C" cuts
    A and B, C, and all other nodes off from each other; "join" ends that. FILE takes at the end when --jitter wifi let
    nothing through: lines of a node, begin and end in nanoseconds of CLOCK_MONOTONIC.
    """

  var nodes: [String] = []
  var seed: UInt64 = 1
  var seconds: Double?
  /// Where to make the pipe for ``SwitchOrder``s.
  var ordersPath: String?
  /// Where to write when nothing came through.
  var droughtsPath: String?
  var command: [String] = []
  /// The link's options as they were given.
  private(set) var linkWords: [String] = []
  private(set) var scenario = LinkScenario(LinkModel())

  /// - Throws: `LinkError.usage`.
  init(_ arguments: [String]) throws(LinkError) {
    let parts = arguments.split(
      separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    var rest = parts[0]
    command = parts.count > 1 ? Array(parts[1]) : []
    guard parts.count < 2 || !command.isEmpty else { throw .usage("-- wants a command") }
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw .usage("\(option) wants a value") }
      try take(option, value)
    }
    guard !nodes.isEmpty else { throw .usage("--nodes says which namespaces to join, such as a,b") }
    do {
      scenario = try LinkScenario(arguments: linkWords)
    } catch {
      throw .usage(error.description)
    }
  }

  private mutating func take(_ option: String, _ value: String) throws(LinkError) {
    switch option {
    case "--nodes": nodes = try Self.names(value)
    case "--seed":
      guard let number = UInt64(value) else { throw .usage("--seed is a number, not \(value)") }
      seed = number
    case "--seconds":
      guard let number = Double(value), number > 0, number <= 1e6 else {
        throw .usage("--seconds is a time, not \(value)")
      }
      seconds = number
    case "--orders": ordersPath = value
    case "--droughts": droughtsPath = value
    default: linkWords += [option, value]
    }
  }

  private static func names(_ text: String) throws(LinkError) -> [String] {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let isEachGood = names.allSatisfy { name in
      (1...16).contains(name.utf8.count)
        && name.utf8.allSatisfy {
          (0x61...0x7a).contains($0) || (0x41...0x5a).contains($0) || (0x30...0x39).contains($0)
        }
    }
    guard isEachGood, (2...16).contains(names.count), Set(names).count == names.count else {
      throw .usage("--nodes is 2 to 16 different names of letters and digits, not \(text)")
    }
    return names
  }
}
