import Remote
import TestRig

/// How soon a blocked member hears nothing any more, and whether the others lose anything by it.
struct MeshBlock {
  let bench: Bench
  let rounds: Int

  func run() throws(RigError) {
    Console.line("\nThree nodes of a group, of which one blocks another:")
    var (keys, lasts) = ([Double](), [Double]())
    var lost = 0
    for _ in 0..<rounds {
      let trial = try trial()
      keys.append(trial.keySeconds ?? .infinity)
      lasts.append(trial.lastReachedSeconds)
      lost += trial.lost + trial.undecipherable
      bench.doubts.check("the third node heard nothing", trial.received == 0)
    }
    bench.judge("mesh.block.nextKey.worst", keys.max() ?? .nan, "s", atMost: 1)
    bench.judge("mesh.block.lastReached.worst", lasts.max() ?? .nan, "s", atMost: 1)
    bench.judge("mesh.block.lostByOthers", Double(lost), "count", atMost: 0)
  }

  private func trial() throws(RigError) -> BlockTrial {
    let directory = try TemporaryDirectory(prefix: "comlink-bench")
    let circle = try Circle(in: directory)
    defer { circle.stop() }
    let ports = try LoopbackPorts.free(3)
    let a = try circle.node("A", at: ports[0])
    let b = try circle.node("B", at: ports[1], calling: ports[0])
    let c = try circle.node("C", at: ports[2], calling: ports[0])
    let nodes = [a, b, c]
    defer { for node in nodes { node.process.terminate() } }
    let invitation = try circle.group("bench", of: a)
    for node in [b, c] { _ = try node.ask(.groupJoin(invitation: invitation)) }
    for node in nodes {
      for other in nodes where other !== node { try circle.wait(for: node, toHear: other.name) }
    }
    return try BlockTrial(of: a, blocking: c, before: b)
  }
}
