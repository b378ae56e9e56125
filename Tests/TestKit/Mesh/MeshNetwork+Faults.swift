public import Cryptography
import Mesh

/// What happens to nodes and paths.
extension MeshNetwork {
  /// Starts a node, which was never started or was killed.
  public func start(_ index: Int) {
    let node = nodes[index]
    guard node.mesh == nil else { return }
    node.instance += 1
    node.isSilent = false
    let profile = NodeProfile(
      name: "node \(index)", softwareVersion: "1.0.0",
      controlAddresses: [NodeAddress(.observed, port: node.address.port)],
      mediaAddresses: [NodeAddress(.observed, port: 5004)])
    let configuration = MeshConfiguration(
      node: node.id, instance: node.instance, profile: profile, policy: node.policy,
      memory: node.memory)
    node.mesh = Mesh(configuration, random: SplitMix64(seed: random.next()))
    node.scheduledNanoseconds = .max
    countPairs()
    give(.tick, to: index)
    for peer in node.namedPeers { give(.named(peer, [nodes[peer].address]), to: index) }
    for other in nodes.indices where other != index && nodes[other].mesh != nil {
      for (one, to) in [(index, other), (other, index)] where random.chance(model.multicast) {
        let nanoseconds = Int64.random(in: model.announcementNanoseconds, using: &random)
        schedule(.announced(node: one, to: to), inNanoseconds: nanoseconds)
      }
    }
  }

  /// Starts all nodes at once.
  public func startAll() {
    for index in nodes.indices { start(index) }
  }

  /// Ends a node without a word.
  ///
  /// - Parameter isSilent: the whole machine is gone and not just the process, whose connections
  ///   the system closes.
  public func kill(_ index: Int, isSilent: Bool = true) {
    let node = nodes[index]
    guard node.mesh != nil else { return }
    stop(index)
    node.isSilent = isSilent
    guard !isSilent else { return }
    for number in wires.keys.sorted() {
      guard let wire = wires[number] else { continue }
      for end in 0...1 where wire.ends[end].node == index && wire.ends[end].isOpen {
        guard wire.ends[end].instance == node.instance else { continue }
        close(wire.connection(ofEnd: end))
      }
    }
  }

  /// Ends a node with a goodbye.
  public func leave(_ index: Int) {
    give(.leave, to: index)
    stop(index)
  }

  private func stop(_ index: Int) {
    let node = nodes[index]
    node.mesh = nil
    pairCount -= node.members.count
    node.members = []
    countPairs()
  }

  private func countPairs() {
    var sizes: [Int: Int] = [:]
    for node in nodes where node.mesh != nil { sizes[node.group, default: 0] += 1 }
    wholePairCount = sizes.values.reduce(0) { $0 + $1 * ($1 - 1) }
  }

  /// Cuts the network: nodes reach those of the same number.
  public func cut(_ islands: [Int]) {
    self.islands = islands
  }

  /// Joins all parts; what waited goes on as TCP finds out.
  public func heal() {
    islands = Array(repeating: 0, count: nodes.count)
    for number in wires.keys.sorted() {
      guard let wire = wires[number] else { continue }
      for end in 0...1 where !wire.ends[end].pending.isEmpty {
        let items = wire.ends[end].pending
        wire.ends[end].pending = []
        let pause = Int64.random(in: 50_000_000...1_000_000_000, using: &random)
        wire.ends[end].arrivalNanoseconds = max(
          wire.ends[end].arrivalNanoseconds, nowNanoseconds + pause)
        for item in items { put(item, on: wire, toEnd: end) }
      }
    }
  }

  /// Lets `from` begin no conversation with `to`; the other way stays.
  public func block(from: Int, to: Int) {
    oneWay.insert([from, to])
  }

  /// A node is in another group, and proves that on each connection before it says anything else there.
  public func regroup(_ index: Int, to group: Int) {
    nodes[index].group = group
    countPairs()
    for wire in wires.values.sorted(by: { $0.number < $1.number }) {
      guard let end = wire.ends.firstIndex(where: { $0.node == index && $0.isOpen }) else {
        continue
      }
      put(.proof(group: group), on: wire, toEnd: 1 - end)
    }
    give(.groupsChanged(proving(of: index)), to: index)
  }

  /// On which of its connections the other end has proved a node's group.
  func proving(of index: Int) -> Set<ConnectionID> {
    let connections = wires.values.compactMap { wire in
      wire.ends.firstIndex { $0.node == index && $0.provedGroup == nodes[index].group }
        .map(wire.connection(ofEnd:))
    }
    return Set(connections)
  }

  /// Takes a node's address: its connections lead nowhere any more, of which only it knows.
  ///
  /// Where it is dialled stays as it was; it dials the others itself.
  public func uproot(_ index: Int) {
    for wire in wires.values.sorted(by: { $0.number < $1.number }) where !wire.isUprooted {
      guard let end = wire.ends.firstIndex(where: { $0.node == index }) else { continue }
      wire.isUprooted = true
      if wire.ends[end].isOpen { give(.uprooted(wire.connection(ofEnd: end)), to: index) }
    }
    give(.networkChanged, to: index)
  }

  func announce(_ index: Int, to: Int) {
    guard nodes[index].mesh != nil, isPath(index, to) else { return }
    let isShared = nodes[index].group == nodes[to].group
    give(
      .discovered(
        Announcement(
          node: nodes[index].id, addresses: [nodes[index].address], sharesGroup: isShared)),
      to: to)
  }

  /// Connections that are open at both ends.
  public var openWireCount: Int {
    wires.values.count { $0.ends[0].isOpen && $0.ends[1].isOpen }
  }

  /// The index of a node.
  public func index(of id: NodeID) -> Int? { nodes.firstIndex { $0.id == id } }
}
