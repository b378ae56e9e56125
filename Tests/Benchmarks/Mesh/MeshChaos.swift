import TestKit
import TestRig

/// Eight real nodes disturbed at random; after each fault it is timed until all running nodes hear all others again.
struct MeshChaos {
  private enum Fault: String, CaseIterable {
    /// SIGKILL, and started anew.
    case kill
    /// SIGTERM, and started anew.
    case restart
    /// One node's link is down for a while.
    case cut
    /// The network falls into two or three parts for a while; in half of the cases a node is killed meanwhile.
    case split
  }

  let bench: Bench
  let minutes: Double
  let seed: UInt64

  func run() throws(RigError) {
    Console.line("\nEight nodes in eight namespaces, 5 % lost, seed \(seed):")
    let eight = try MeshEight(in: bench.directory)
    defer { eight.stop() }
    bench.figures.add("mesh.chaos.firstWhole", try eight.waitUntilWhole(), "s")
    var random = SplitMix64(seed: seed)
    var times: [Fault: [Double]] = [:]
    let end = monotonicNanoseconds() + Int64(minutes * 60e9)
    while monotonicNanoseconds() < end {
      // Each kind once in four, so that a short run has all of them.
      for fault in Fault.allCases.shuffled(using: &random) where monotonicNanoseconds() < end {
        let words = try cause(fault, at: eight, &random)
        let seconds = try eight.waitUntilWhole()
        times[fault, default: []].append(seconds)
        Console.line("  \(words): whole after \(Figures.fixed(seconds, 1)) s")
      }
    }
    for fault in Fault.allCases { report(fault, Distribution(times[fault] ?? [])) }
  }

  /// Does harm and takes it back, but for what the nodes have to mend.
  ///
  /// - Returns: what was done, for people.
  private func cause(
    _ fault: Fault, at eight: MeshEight, _ random: inout SplitMix64
  ) throws(RigError) -> String {
    let index = Int.random(in: 0..<MeshEight.nodeCount, using: &random)
    switch fault {
    case .kill, .restart:
      try eight.restart(index, by: fault == .kill ? 9 : 15)
      return "\(fault.rawValue) of \(index)"
    case .cut:
      let seconds = Double.random(in: 1...12, using: &random)
      try eight.link.setInterface(of: index, isUp: false)
      pause(seconds: seconds)
      try eight.link.setInterface(of: index, isUp: true)
      return "cut of \(index) for \(Figures.fixed(seconds, 0)) s"
    case .split: return try split(eight, killing: index, &random)
    }
  }

  /// Cuts the network into parts of which each has to stay whole, and to be alone.
  private func split(
    _ eight: MeshEight, killing index: Int, _ random: inout SplitMix64
  ) throws(RigError) -> String {
    let count = Int.random(in: 2...3, using: &random)
    let order = (0..<MeshEight.nodeCount).shuffled(using: &random)
    var parts = Array(repeating: 0, count: MeshEight.nodeCount)
    // The first nodes of the order see to it that no part is empty.
    for (place, node) in order.enumerated() {
      parts[node] = place < count ? place : Int.random(in: 0..<count, using: &random)
    }
    let members = (0..<count).map { part in parts.indices.filter { parts[$0] == part } }
    let seconds = Double.random(in: 2...40, using: &random)
    let kills = Bool.random(using: &random)
    let begin = monotonicNanoseconds()
    try eight.link.split(members)
    if kills { try eight.restart(index, by: 9) }
    try eight.waitUntilWhole(parts)
    pause(seconds: max(0, seconds - Double(monotonicNanoseconds() - begin) / 1e9))
    try eight.waitUntilWhole(parts)
    try eight.link.join()
    let words = members.map { $0.map(String.init).joined(separator: ",") }.joined(separator: " | ")
    return "split into \(words) for \(Figures.fixed(seconds, 0)) s"
      + (kills ? " with a kill of \(index)" : "")
  }

  private func report(_ fault: Fault, _ times: Distribution) {
    bench.figures.add("mesh.chaos.\(fault.rawValue).count", Double(times.values.count), "count")
    bench.figures.add("mesh.chaos.\(fault.rawValue).wholeMedian", times.median, "s")
    bench.figures.add("mesh.chaos.\(fault.rawValue).wholeWorst", times.values.last ?? .nan, "s")
  }
}
