import Mesh
import TestKit
import Testing

/// A switch or an access point that passes nothing for a while, though everybody's own link stays up.
@Suite struct OutageTests {
  @Test(arguments: [2, 8, 16])
  func `all are together again within a second of an outage of 10 s`(nodeCount: Int) {
    for seed in Seeds.first(10) {
      let network = MeshNetwork(nodeCount: nodeCount, seed: seed)
      network.startAll()
      #expect(network.becomeWhole(withinSeconds: 10) != nil, "seed \(seed)")
      network.run(seconds: 20 + Double(seed) / 7)
      network.cut(Array(0..<nodeCount))
      network.run(seconds: 10)
      #expect(network.nodes.allSatisfy { $0.members.isEmpty }, "seed \(seed)")
      network.heal()
      #expect(network.becomeWhole(withinSeconds: 1) != nil, "seed \(seed)")
    }
  }
}
