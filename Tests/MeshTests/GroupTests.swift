import Mesh
import TestKit
import Testing

/// Whole groups in virtual time.
@Suite struct GroupTests {
  @Test func `64 nodes from a cold start are a clique within 10 s`() throws {
    let network = MeshNetwork(nodeCount: 64, seed: 1)
    network.startAll()
    let seconds = try #require(network.becomeWhole(withinSeconds: 10))
    #expect(seconds < 10, "\(seconds) s")
    print("clique of 64 after \(seconds) s")
  }

  @Test func `parts of a network find together within 10 s`() {
    var worst = 0.0
    var sum = 0.0
    let clock = ContinuousClock()
    let begin = clock.now
    for seed in Seeds.first(100) {
      var random = SplitMix64(seed: ~seed)
      let count = Int.random(in: 6...8, using: &random)
      var model = MeshNetworkModel()
      model.refuses = random.chance(0.5)
      model.loss = random.chance(0.5) ? 0.05 : 0
      let network = MeshNetwork(nodeCount: count, seed: seed, model: model)
      network.startAll()
      guard network.becomeWhole(withinSeconds: 10) != nil else {
        Issue.record("seed \(seed): no clique at the start")
        continue
      }
      network.cut((0..<count).map { _ in Int.random(in: 0...2, using: &random) })
      network.run(seconds: Double.random(in: 1...40, using: &random))
      network.heal()
      guard let seconds = network.becomeWhole(withinSeconds: 10) else {
        Issue.record("seed \(seed): no clique 10 s after the network healed")
        continue
      }
      worst = max(worst, seconds)
      sum += seconds
    }
    print("healed: worst \(worst) mean \(sum / 100) in \(clock.now - begin)")
  }
}
