import Remote
import StatusSchema
import TestRig

/// Eight nodes of one group in eight namespaces over a link that loses 5 %, each with a tone at its microphone.
final class MeshEight {
  static let nodeCount = 8
  private static let patienceSeconds = 40.0

  /// Who hears whom, by number.
  private struct Pair: Hashable {
    let ear: Int
    let mouth: Int
  }

  let link: LinkProcess
  private let directory: TemporaryDirectory
  private let server: JackServer
  private let mouth: Probe
  private var nodes: [NodeProcess] = []

  init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    link = try LinkProcess(nodeCount: Self.nodeCount, ["--loss", "5"], in: directory)
    server = try JackServer(
      "comlink-chaos", periodFrames: 1024, portMaximum: 512, in: directory)
    mouth = try Probe(server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 0)
    try mouth.setSource(Speech.tone(hertz: 500, level: 0.3), loops: true)
    try mouth.start()
    for index in 0..<Self.nodeCount { nodes.append(try start(index)) }
    try join()
  }

  /// Ends a node by a signal and starts it anew.
  func restart(_ index: Int, by signal: Int32) throws(RigError) {
    nodes[index].process.send(signal: signal)
    _ = try nodes[index].process.wait(within: 5)
    // JACK's server frees the client's name a moment after its end.
    pause(seconds: 0.5)
    nodes[index] = try start(index)
  }

  /// Waits until every node receives sound of every other's present run.
  ///
  /// - Parameter parts: the part of the network that each node is in: then that is so within the parts,
  ///   and no sound passes between.
  /// - Returns: the seconds it took.
  @discardableResult
  func waitUntilWhole(
    _ parts: [Int] = Array(repeating: 0, count: MeshEight.nodeCount)
  ) throws(RigError) -> Double {
    let start = monotonicNanoseconds()
    var before: [Pair: Int] = [:]
    var missing: [Pair] = []
    try waitUntil(
      "sound of all pairs", within: Self.patienceSeconds, interval: 0.1,
      detail: { missing.map { "\($0.ear) does not hear \($0.mouth)" }.joined(separator: ", ") }
    ) { () throws(RigError) in
      let now = received()
      defer { before = now }
      let heard = Set(now.filter { $0.value > before[$0.key] ?? .max }.keys)
      missing = Self.pairs(in: parts).filter { !heard.contains($0) }
      return missing.isEmpty && heard.allSatisfy { parts[$0.ear] == parts[$0.mouth] }
    }
    return Double(monotonicNanoseconds() - start) / 1e9
  }

  /// Ends everything.
  func stop() {
    for node in nodes { node.process.terminate() }
    mouth.stop()
    server.stop()
    _ = link.end()
  }

  private func start(_ index: Int) throws(RigError) -> NodeProcess {
    var options = NodeProcess.Options(port: 5004)
    options.address = "0.0.0.0"
    options.namespace = link.namespace(index)
    options.policy = "group-only"
    options.discovers = true
    // One known peer is enough; the rest is gossip, discovery, and what was known before a restart, of that one too.
    if index > 0 { options.arguments = ["--peer", "\(link.address(0)):5004"] }
    let node = try NodeProcess(
      "N\(index)", on: server, client: "N\(index)", options: options, in: directory)
    try mouth.waitForPort(node.port("mic"), within: 10)
    try mouth.connect("mouth:out_0", to: node.port("mic"))
    return node
  }

  private func join() throws(RigError) {
    for node in nodes { try node.waitUntilReady(within: 20) }
    guard case .invitation(let text) = try nodes[0].ask(.groupNew(name: "bench")) else {
      throw .status(reason: "no invitation to a group")
    }
    for node in nodes.dropFirst() { _ = try node.ask(.groupJoin(invitation: text)) }
  }

  /// Packets received, of the pairs that are connected.
  private func received() -> [Pair: Int] {
    let all = nodes.map { try? $0.status() }
    var numbers: [UInt32: Int] = [:]
    for (number, status) in all.enumerated() {
      if let status { numbers[status.node.ssrc] = number }
    }
    var received: [Pair: Int] = [:]
    for (ear, status) in all.enumerated() {
      for peer in status?.peers ?? [] where peer.state == .connected {
        guard let mouth = peer.ssrc.flatMap({ numbers[$0] }) else { continue }
        received[Pair(ear: ear, mouth: mouth)] = peer.received
      }
    }
    return received
  }

  private static func pairs(in parts: [Int]) -> [Pair] {
    parts.indices.flatMap { ear in
      parts.indices.filter { $0 != ear && parts[$0] == parts[ear] }
        .map { Pair(ear: ear, mouth: $0) }
    }
  }
}
