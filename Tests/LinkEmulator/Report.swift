import Glibc
import TestKit

/// What the program says.
struct Report {
  let nodes: [Node]

  /// How to use the link.
  func begin(_ options: LinkOptions) {
    Self.line("link: \(options.linkWords.joined(separator: " ")) (seed \(options.seed))")
    for node in nodes {
      Self.line(
        "  \(node.name)  \(node.addressIPv4)  \(node.addressIPv6)  "
          + "ip netns exec \(node.namespace) COMMAND")
    }
    Self.line("The link is up; Ctrl-C ends it and removes the namespaces.")
  }

  /// What it did.
  func end(_ emulator: Emulator) {
    var rows = [["frames", "forwarded", "lost", "duplicated", "reordered", "dropped"]]
    for (node, counters) in zip(nodes, emulator.counters) {
      let numbers = [
        counters.forwarded, counters.lost, counters.duplicated, counters.reordered,
        counters.dropped,
      ]
      rows.append(["to \(node.name)"] + numbers.map(String.init))
    }
    for row in rows { Self.line(Self.columns(row)) }
    let lateness = emulator.lateness
    Self.line(
      "added latency: min \(lateness.minimumNanoseconds / 1000) us, "
        + "median \(lateness.quantile(0.5) / 1000) us, p99 \(lateness.quantile(0.99) / 1000) us "
        + "over \(lateness.count) frames")
    let drops = emulator.takeDrops()
    if drops > 0 { Self.line("\(drops) frames were lost because the emulator was too slow") }
    if emulator.unsent > 0 { Self.line("\(emulator.unsent) frames were refused by a device") }
  }

  private static func columns(_ row: [String]) -> String {
    row.enumerated().map { index, cell in
      let space = String(repeating: " ", count: max(0, (index == 0 ? 19 : 11) - cell.count))
      return index == 0 ? cell + space : space + cell
    }.joined()
  }

  /// A line at once, also through a pipe.
  private static func line(_ text: String) {
    print(text)
    fflush(nil)
  }
}
