import Remote
import StatusSchema
import TestKit
import TestRig

/// Eight nodes of one group in eight namespaces over a link that loses 5 %, disturbed at random.
///
/// After each fault it is timed until all running nodes hear all others again.
struct MeshChaos {
  private enum Fault: String, CaseIterable { case kill, restart, cut }

  private static let nodeCount = 8
  private static let patienceSeconds = 40.0

  let bench: Bench
  let minutes: Double
  let seed: UInt64

  func run() throws(RigError) {
    Console.line("\nEight nodes in eight namespaces, 5 % lost, seed \(seed):")
    let link = try LinkProcess(nodeCount: Self.nodeCount, ["--loss", "5"], in: bench.directory)
    defer { _ = link.end() }
    let server = try JackServer(
      "comlink-chaos", periodFrames: 1024, portMaximum: 512, in: bench.directory)
    defer { server.stop() }
    var nodes = try (0..<Self.nodeCount).map { index throws(RigError) in
      try start(index, on: server, link)
    }
    defer { for node in nodes { node.process.terminate() } }
    try join(nodes)
    bench.figures.add("mesh.chaos.firstWhole", try secondsUntilWhole(nodes), "s")

    var random = SplitMix64(seed: seed)
    var times: [Fault: [Double]] = [:]
    let end = monotonicNanoseconds() + Int64(minutes * 60e9)
    while monotonicNanoseconds() < end {
      let fault = Fault.allCases.randomElement(using: &random) ?? .kill
      let index = Int.random(in: 1..<Self.nodeCount, using: &random)
      switch fault {
      case .kill, .restart:
        nodes[index].process.send(signal: fault == .kill ? 9 : 15)
        _ = try nodes[index].process.wait(within: 5)
        // JACK's server frees the client's name a moment after its end.
        pause(seconds: 0.5)
        nodes[index] = try start(index, on: server, link)
      case .cut:
        try link.setInterface(of: index, isUp: false)
        pause(seconds: Double.random(in: 1...12, using: &random))
        try link.setInterface(of: index, isUp: true)
      }
      let seconds = try secondsUntilWhole(nodes)
      times[fault, default: []].append(seconds)
      Console.line("  \(fault.rawValue) of \(index): whole after \(Figures.fixed(seconds, 1)) s")
    }
    for fault in Fault.allCases {
      let all = Distribution(times[fault] ?? [])
      bench.figures.add("mesh.chaos.\(fault.rawValue).count", Double(all.values.count), "count")
      bench.figures.add("mesh.chaos.\(fault.rawValue).wholeMedian", all.median, "s")
      bench.figures.add("mesh.chaos.\(fault.rawValue).wholeWorst", all.values.last ?? .nan, "s")
    }
  }

  private func start(
    _ index: Int, on server: JackServer, _ link: LinkProcess
  ) throws(RigError) -> NodeProcess {
    var options = NodeProcess.Options(port: 5004)
    options.address = "0.0.0.0"
    options.namespace = link.namespace(index)
    options.policy = "group-only"
    options.discovers = true
    // One known peer is enough; the rest is gossip and discovery.
    if index > 0 { options.arguments = ["--peer", "\(link.address(0)):5004"] }
    return try NodeProcess(
      "N\(index)", on: server, client: "N\(index)", options: options, in: bench.directory)
  }

  private func join(_ nodes: [NodeProcess]) throws(RigError) {
    for node in nodes { try node.waitUntilReady(within: 20) }
    guard case .invitation(let text) = try nodes[0].ask(.groupNew(name: "bench")) else {
      throw .status(reason: "no invitation to a group")
    }
    for node in nodes.dropFirst() { _ = try node.ask(.groupJoin(invitation: text)) }
  }

  private func secondsUntilWhole(_ nodes: [NodeProcess]) throws(RigError) -> Double {
    let start = monotonicNanoseconds()
    try waitUntil("all pairs", within: Self.patienceSeconds, interval: 0.1) {
      () throws(RigError) in
      nodes.allSatisfy { node in
        guard let status = try? node.status() else { return false }
        return status.peers.count { $0.state == .connected } == Self.nodeCount - 1
      }
    }
    return Double(monotonicNanoseconds() - start) / 1e9
  }
}
