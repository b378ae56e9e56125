import Foundation
import Synchronization

/// A running `comlink-link` whose nodes have names that nobody else has.
public final class LinkProcess: Sendable {
  /// The emulator.
  public let process: ChildProcess
  /// The nodes' names, in order of the last part of their addresses.
  public let nodes: [String]
  /// Those whose addresses were changed, and not changed back.
  private let movedNodes = Mutex<Set<Int>>([])
  private let ordersPath: String
  private let droughtsPath: String

  /// Starts it and waits until the link is up; needs root.
  ///
  /// - Throws: `RigError`.
  public init(
    nodeCount: Int = 2, _ options: [String], command: [String] = [],
    in directory: TemporaryDirectory
  ) throws(RigError) {
    let tag = "\(getpid() % 100_000)x\(UInt16.random(in: 0...UInt16.max))"
    let nodes = (0..<nodeCount).map { "t\(tag)n\($0)" }
    ordersPath = directory.file("link-\(tag).orders")
    droughtsPath = directory.file("link-\(tag).droughts")
    let arguments =
      ["--nodes", nodes.joined(separator: ","), "--orders", ordersPath]
      + ["--droughts", droughtsPath] + options
    process = try ChildProcess(
      try Executables.path(of: "comlink-link"),
      arguments + (command.isEmpty ? [] : ["--"] + command),
      outputPath: directory.file("link-\(tag).log"))
    self.nodes = nodes
    try waitUntil("the link", within: 20, detail: { process.output }) { () throws(RigError) in
      if process.output.contains("The link is up") { return true }
      try process.checkRunning()
      return false
    }
  }

  /// The network namespace of a node.
  public func namespace(_ index: Int) -> String { "comlink-\(nodes[index])" }

  /// The IPv4 address a node begins with.
  public func address(_ index: Int) -> String { "10.77.0.\(index + 1)" }

  /// Takes a node's interface down or up.
  ///
  /// - Throws: `RigError`.
  public func setInterface(of index: Int, isUp: Bool) throws(RigError) {
    try configure(index, ["link", "set", "eth0", isUp ? "up" : "down"])
  }

  /// Gives a node other addresses in the same networks and takes the former ones, or the reverse; IPv6's link-local one
  /// stays.
  ///
  /// - Throws: `RigError`.
  public func changeAddress(of index: Int) throws(RigError) {
    let number = movedNodes.withLock { moved in
      if moved.remove(index) != nil { return index + 1 }
      moved.insert(index)
      return index + 101
    }
    // Of IPv6's, a link that was down has lost them already.
    try configure(index, ["address", "flush", "dev", "eth0", "scope", "global"])
    for address in ["10.77.0.\(number)/24", "fd77:c0:11::\(number)/64"] {
      try configure(index, ["address", "add", address, "dev", "eth0"])
    }
  }

  /// Runs `ip` in a node's namespace.
  ///
  /// - Returns: what it said.
  @discardableResult
  public func configure(_ index: Int, _ words: [String]) throws(RigError) -> String {
    let child = try ChildProcess(
      "ip", ["-n", namespace(index)] + words, outputPath: process.outputPath + ".ip")
    guard try child.wait(within: 10) == 0 else {
      throw .launch(command: child.command, reason: child.output)
    }
    return child.output
  }

  /// Splits the network: nodes of different parts hear nothing of each other, though their links stay up.
  ///
  /// - Parameter parts: numbers of nodes; those in none are a part of their own.
  /// - Throws: `RigError`.
  public func split(_ parts: [[Int]]) throws(RigError) {
    let words = parts.map { part in part.map { nodes[$0] }.joined(separator: ",") }
    try order("split " + words.joined(separator: " "))
  }

  /// Makes the network whole again.
  ///
  /// - Throws: `RigError`.
  public func join() throws(RigError) { try order("join") }

  private func order(_ line: String) throws(RigError) {
    let pipe = unsafe open(ordersPath, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    guard pipe >= 0 else { throw .file(path: ordersPath, reason: systemMessage(errno)) }
    defer { close(pipe) }
    let octets = Array("\(line)\n".utf8)
    guard unsafe write(pipe, octets, octets.count) == octets.count else {
      throw .file(path: ordersPath, reason: systemMessage(errno))
    }
  }

  /// Ends it as Ctrl-C or systemd would; gives the seconds that took.
  public func end() -> Double? { process.terminate(within: 5) }

  /// When nothing got through to a node, nanoseconds of CLOCK_MONOTONIC; known once it has ended.
  ///
  /// - Throws: `RigError`.
  public func droughts(to index: Int) throws(RigError) -> [Range<Int64>] {
    guard let text = try? String(contentsOfFile: droughtsPath, encoding: .utf8) else {
      throw .file(path: droughtsPath, reason: "cannot be read")
    }
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 3, words[0] == nodes[index], let begin = Int64(words[1]),
        let end = Int64(words[2]), begin <= end
      else { return nil }
      return begin..<end
    }
  }

  /// A counter of what went to a node, from what was printed at the end.
  public func counter(_ name: String, to index: Int) -> Int? {
    let rows = process.output.split(separator: "\n").map { $0.split(separator: " ") }
    guard let header = rows.first(where: { $0.first == "frames" }),
      let column = header.firstIndex(where: { $0 == name }),
      let row = rows.first(where: { $0.count > 1 && $0[0] == "to" && $0[1] == nodes[index] })
    else { return nil }
    // A row begins with two words, the header with one.
    return Int(row[column + 1])
  }

  /// The median that was printed at the end.
  public var addedLatencyMicroseconds: Int? {
    let words = process.output.split { " ,\n".contains($0) }
    guard let place = words.firstIndex(of: "median") else { return nil }
    return Int(words[place + 1])
  }
}
