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
    let mouth = try Probe(
      server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 0)
    try mouth.setSource(Speech.tone(hertz: 500, level: 0.3), loops: true)
    try mouth.start()
    defer { mouth.stop() }
    var nodes = try (0..<Self.nodeCount).map { index throws(RigError) in
      try start(index, on: server, mouth, link)
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
        nodes[index] = try start(index, on: server, mouth, link)
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
    _ index: Int, on server: JackServer, _ mouth: Probe, _ link: LinkProcess
  ) throws(RigError) -> NodeProcess {
    var options = NodeProcess.Options(port: 5004)
    options.address = "0.0.0.0"
    options.namespace = link.namespace(index)
    options.policy = "group-only"
    options.discovers = true
    // One known peer is enough; the rest is gossip and discovery.
    if index > 0 { options.arguments = ["--peer", "\(link.address(0)):5004"] }
    let node = try NodeProcess(
      "N\(index)", on: server, client: "N\(index)", options: options, in: bench.directory)
    try mouth.waitForPort(node.port("mic"), within: 10)
    try mouth.connect("mouth:out_0", to: node.port("mic"))
    return node
  }

  private func join(_ nodes: [NodeProcess]) throws(RigError) {
    for node in nodes { try node.waitUntilReady(within: 20) }
    guard case .invitation(let text) = try nodes[0].ask(.groupNew(name: "bench")) else {
      throw .status(reason: "no invitation to a group")
    }
    for node in nodes.dropFirst() { _ = try node.ask(.groupJoin(invitation: text)) }
  }

  /// Whole: every node receives sound of every other's present run.
  private func secondsUntilWhole(_ nodes: [NodeProcess]) throws(RigError) -> Double {
    let start = monotonicNanoseconds()
    var before: [Pair: Int] = [:]
    try waitUntil("sound of all pairs", within: Self.patienceSeconds, interval: 0.1) {
      () throws(RigError) in
      let now = received(nodes)
      defer { before = now }
      return now.count == nodes.count * (nodes.count - 1)
        && now.allSatisfy { $0.value > before[$0.key] ?? .max }
    }
    return Double(monotonicNanoseconds() - start) / 1e9
  }

  /// Who hears whom, by the SSRC of each one's run.
  private struct Pair: Hashable {
    let ear: UInt32
    let mouth: UInt32
  }

  /// Packets received, of the pairs that are connected.
  private func received(_ nodes: [NodeProcess]) -> [Pair: Int] {
    let all = nodes.compactMap { try? $0.status() }
    let running = Set(all.map(\.node.ssrc))
    var received: [Pair: Int] = [:]
    for status in all {
      for peer in status.peers where peer.state == .connected {
        guard let ssrc = peer.ssrc, running.contains(ssrc) else { continue }
        received[Pair(ear: status.node.ssrc, mouth: ssrc)] = peer.received
      }
    }
    return received
  }
}
