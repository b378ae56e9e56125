import TestKit
import TestRig

/// Whole groups of state machines in virtual time.
struct MeshSimulation {
  private static let cliqueSeconds = 10.0
  private static let trafficKilobits = 20.0

  let bench: Bench
  let seedCount: Int

  func run() {
    Console.line("\nIn virtual time:")
    bench.judge(
      "mesh.simulated.clique64", coldStart(nodeCount: 64) ?? .infinity, "s",
      atMost: Self.cliqueSeconds)
    let times = (0..<UInt64(seedCount)).map { ($0, partition(seed: $0) ?? .infinity) }
    for (seed, seconds) in times where seconds > Self.cliqueSeconds {
      Console.line("seed \(seed): whole after \(Figures.fixed(seconds, 1)) s (-: never)")
    }
    let healing = Distribution(times.map(\.1))
    bench.figures.add("mesh.simulated.healMedian", healing.median, "s")
    bench.judge(
      "mesh.simulated.healWorst", healing.values.last ?? .nan, "s", atMost: Self.cliqueSeconds)
    bench.figures.add("mesh.simulated.seeds", Double(seedCount), "count")
    reportTraffic(nodeCount: 32)
  }

  private func coldStart(nodeCount: Int) -> Double? {
    var model = MeshNetworkModel()
    model.loss = 0.01
    let network = MeshNetwork(nodeCount: nodeCount, seed: 1, model: model)
    network.startAll()
    return network.becomeWhole(withinSeconds: 60)
  }

  /// From the end of a random partition of eight nodes to a clique; nil: none within a minute.
  private func partition(seed: UInt64) -> Double? {
    var random = SplitMix64(seed: seed)
    var model = MeshNetworkModel()
    model.loss = 0.05
    let network = MeshNetwork(nodeCount: 8, seed: seed, model: model)
    network.startAll()
    guard network.becomeWhole(withinSeconds: 60) != nil else { return nil }
    network.cut((0..<8).map { _ in Int.random(in: 0...2, using: &random) })
    network.run(seconds: Double.random(in: 1...60, using: &random))
    network.heal()
    return network.becomeWhole(withinSeconds: 60)
  }

  /// Of each node in a calm minute, with the headers and acknowledgements that ``MeshTraffic`` knows; the most of all.
  private func reportTraffic(nodeCount: Int) {
    var model = MeshNetworkModel()
    model.isCounted = true
    let network = MeshNetwork(nodeCount: nodeCount, seed: 1, model: model)
    network.startAll()
    _ = network.becomeWhole(withinSeconds: 60)
    network.run(seconds: 5)
    let before = network.nodes.map { ($0.sent, $0.received) }
    network.run(seconds: 60)
    let sent = zip(network.nodes, before).map { $0.sent.since($1.0) }
    let received = zip(network.nodes, before).map { $0.received.since($1.1) }
    let name = "mesh.simulated.traffic\(nodeCount)"
    let most = { (bytes: [Int]) in Double(bytes.max() ?? 0) * 8 / 60_000 }
    let limit = Self.trafficKilobits
    bench.judge("\(name).sent", most(sent.map(\.ipv4Bytes)), "kbit/s", atMost: limit)
    bench.judge("\(name).sentOverIPv6", most(sent.map(\.ipv6Bytes)), "kbit/s", atMost: limit)
    bench.figures.add("\(name).received", most(received.map(\.ipv4Bytes)), "kbit/s")
    bench.figures.add("\(name).receivedOverIPv6", most(received.map(\.ipv6Bytes)), "kbit/s")
  }
}
