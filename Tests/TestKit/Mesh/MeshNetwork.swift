import Cryptography
public import Mesh

/// Many ``Mesh`` machines in virtual time, and the network between them.
///
/// The same seed gives the same run. TCP as far as it matters: what is sent across a cut waits until
/// it heals, connecting tries again after 1 and 3 s, a killed process closes its connections, a dead
/// machine closes nothing until it is up again.
public final class MeshNetwork {
  /// What is to happen; boxed, as the queue moves it often.
  final class Step {
    let event: Event

    init(_ event: Event) { self.event = event }
  }

  enum Event {
    case wake(node: Int)
    case connecting(MeshDial)
    case established(MeshDial)
    case opened(MeshDial, MeshWire)
    case refused(MeshDial)
    case arrives(MeshWire, end: Int, MeshWire.Item)
    case announced(node: Int, to: Int)
    case resolved(node: Int, PeerTarget, [NodeAddress])
    case knocked(node: Int, from: Int)
  }

  /// What every run of this seed prints when it fails.
  public let seed: UInt64
  /// How packets are treated.
  public var model: MeshNetworkModel
  /// All nodes, running or not.
  public private(set) var nodes: [MeshNode] = []
  /// The present.
  public private(set) var nowNanoseconds: Int64 = 0
  /// Sees each action of each node but messages.
  public var observer: ((_ node: Int, MeshAction) -> Void)?

  var random: SplitMix64
  var queue = DepartureQueue<Step>()
  /// Nodes of different numbers do not reach each other.
  var islands: [Int] = []
  /// Pairs of which the first cannot begin to talk to the second.
  var oneWay: Set<[Int]> = []
  var wires: [UInt64: MeshWire] = [:]
  var dials: [AttemptKey: MeshDial] = [:]
  var wireCount: UInt64 = 0
  var knockNanoseconds: [[Int]: Int64] = [:]
  var indexByAddress: [NodeAddress: Int] = [:]
  /// Pairs of running nodes of which the first has the second as a member.
  var pairCount = 0
  /// As many as there are when all is well.
  var wholePairCount = 0

  struct AttemptKey: Hashable {
    let node: Int
    let attempt: AttemptID
  }

  /// Makes nodes that do not run yet, of random identities.
  public init(nodeCount: Int, seed: UInt64, model: MeshNetworkModel = MeshNetworkModel()) {
    self.seed = seed
    self.model = model
    random = SplitMix64(seed: seed)
    for index in 0..<nodeCount {
      let octets = (0..<NodeID.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
      guard let id = NodeID(octets: octets) else { continue }
      let address = NodeAddress(.ipv4(0x0A00_0000 + UInt32(index) + 1), port: 5005)
      nodes.append(MeshNode(id: id, address: address))
      indexByAddress[address] = index
    }
    islands = Array(repeating: 0, count: nodeCount)
  }

  /// Whether all running nodes of each group are members to each other, and to no one else.
  public var isWhole: Bool {
    pairCount == wholePairCount
  }

  /// Lets time pass.
  public func run(forNanoseconds nanoseconds: Int64) {
    let end = nowNanoseconds + nanoseconds
    while step(byNanoseconds: end) {}
    nowNanoseconds = end
  }

  /// Lets seconds pass.
  public func run(seconds: Double) { run(forNanoseconds: Int64(seconds * 1e9)) }

  /// Lets time pass until all are a clique.
  ///
  /// - Returns: how many seconds it took; nil when they were none within the limit.
  public func becomeWhole(withinSeconds limit: Double) -> Double? {
    run(until: { isWhole }, withinNanoseconds: Int64(limit * 1e9)).map { Double($0) / 1e9 }
  }

  /// Lets time pass until a condition holds.
  ///
  /// - Returns: how long it took; nil when it did not within the limit.
  public func run(
    until condition: () -> Bool, withinNanoseconds limit: Int64
  ) -> Int64? {
    let start = nowNanoseconds
    if condition() { return 0 }
    while step(byNanoseconds: start + limit) {
      if condition() { return nowNanoseconds - start }
    }
    nowNanoseconds = start + limit
    return nil
  }

  /// Gives a node's machine an event, and does what it wants.
  public func give(_ event: MeshEvent, to index: Int) {
    let node = nodes[index]
    guard let mesh = node.mesh else { return }
    if model.isCounted { node.wakeUps += 1 }
    let actions = mesh.handle(event, nowNanoseconds: nowNanoseconds)
    for action in actions { perform(action, of: index) }
    guard let mesh = node.mesh else { return }
    let deadline = mesh.nextDeadlineNanoseconds
    if deadline < node.scheduledNanoseconds || node.scheduledNanoseconds <= nowNanoseconds {
      node.scheduledNanoseconds = deadline
      if deadline != .max { queue.push(Step(.wake(node: index)), atNanoseconds: deadline) }
    }
  }

  private func step(byNanoseconds end: Int64) -> Bool {
    guard let (step, nanoseconds) = queue.pop(byNanoseconds: end) else { return false }
    nowNanoseconds = max(nowNanoseconds, nanoseconds)
    switch step.event {
    case .wake(let index):
      if nodes[index].scheduledNanoseconds == nanoseconds { give(.tick, to: index) }
    case .connecting(let dial): connect(dial)
    case .established(let dial): establish(dial)
    case .opened(let dial, let wire): finish(dial, wire)
    case .refused(let dial): refuse(dial)
    case .arrives(let wire, let end, let item): arrive(item, on: wire, end)
    case .announced(let index, let to): announce(index, to: to)
    case .resolved(let index, let target, let addresses):
      give(.resolved(target, addresses), to: index)
    case .knocked(let index, let from): give(.knocked(nodes[from].id), to: index)
    }
    return true
  }

  func schedule(_ event: Event, inNanoseconds nanoseconds: Int64) {
    queue.push(Step(event), atNanoseconds: nowNanoseconds + nanoseconds)
  }

  /// Modulo has no bias that matters here, and a debug build is quicker with it.
  func delay() -> Int64 {
    let range = model.delayNanoseconds
    let width = UInt64(range.upperBound - range.lowerBound + 1)
    return range.lowerBound + Int64(random.next() % width)
  }
}

/// An attempt under way in a ``MeshNetwork``.
final class MeshDial {
  let attempt: AttemptID
  let from: Int
  let instance: UInt64
  let to: Int?
  var isOver = false

  init(attempt: AttemptID, from: Int, instance: UInt64, to: Int?) {
    self.attempt = attempt
    self.from = from
    self.instance = instance
    self.to = to
  }
}
