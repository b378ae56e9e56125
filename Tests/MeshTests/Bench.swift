import Cryptography
import Mesh
import TestKit

/// One machine under test, and the hands that play the rest of the world.
final class Bench {
  /// In the middle of all IDs: `lower` and `higher` stand on both sides of it.
  static let own = id(0x80)
  static let lower = id(0x10)
  static let higher = id(0xF0)

  let mesh: Mesh
  private(set) var now: Int64 = 1_000_000_000
  private var connectionCount: UInt64 = 1000
  /// What was wanted since it was last asked.
  private(set) var actions: [MeshAction] = []

  init(
    policy: AdmissionPolicy = .ask, memory: MeshMemory = MeshMemory(), seed: UInt64 = 1
  ) {
    let configuration = MeshConfiguration(
      node: Self.own, instance: 7, profile: NodeProfile(name: "own"), policy: policy,
      memory: memory)
    mesh = Mesh(configuration, random: SplitMix64(seed: seed))
    give(.tick)
    actions = []
  }

  static func id(_ first: UInt8, _ last: UInt16 = 0) -> NodeID {
    .test(first, last)
  }

  static func address(_ number: UInt32, port: UInt16 = 5005) -> NodeAddress {
    NodeAddress(.ipv4(0x0A00_0000 + number), port: port)
  }

  func give(_ event: MeshEvent) {
    actions += mesh.handle(event, nowNanoseconds: now)
  }

  /// Lets members have a key of a stream.
  @discardableResult
  func share(
    _ stream: Int = 0, epoch: UInt64 = 1, ssrc: UInt32 = 5,
    with listeners: StreamListeners = .everyone
  ) -> Message {
    let key = MediaKey(stream: stream, ssrc: ssrc, epoch: epoch, octets: [UInt8(epoch)])
    give(.share(key, with: listeners))
    return .mediaKey(key)
  }

  /// Lets time pass with a tick at each deadline.
  func pass(seconds: Double) { _ = passCounting(seconds: seconds) }

  /// The same, and tells how many ticks there were; gives up on a machine that stands still.
  func passCounting(seconds: Double) -> Int {
    let end = now + .seconds(seconds)
    var count = 0
    while mesh.nextDeadlineNanoseconds <= end, count < 100_000 {
      now = max(now, mesh.nextDeadlineNanoseconds)
      give(.tick)
      count += 1
    }
    now = end
    return count
  }

  /// What was wanted since the last call.
  func taken() -> [MeshAction] {
    defer { actions = [] }
    return actions
  }

  func discover(_ node: NodeID, _ addresses: [NodeAddress] = [address(1)], shares: Bool = true) {
    give(.discovered(Announcement(node: node, addresses: addresses, sharesGroup: shares)))
  }

  func hello(
    _ node: NodeID, instance: UInt64 = 1, attempt: UInt64 = 0, admits: Bool = true,
    relocates: Bool = false, name: String = "other"
  ) -> Message {
    let profile = NodeProfile(
      name: name, controlAddresses: [NodeAddress(.observed, port: 5005)])
    return .hello(
      Hello(
        node: node, instance: instance, profile: profile, attempt: attempt, admits: admits,
        relocates: relocates))
  }

  func open(_ node: NodeID, group: Bool = true) -> OpenedConnection {
    connectionCount += 1
    return OpenedConnection(
      connection: ConnectionID(rawValue: connectionCount), node: node, provesGroup: group,
      remote: Self.address(99, port: 40_000))
  }

  /// A connection from a node that says hello.
  func accept(
    _ node: NodeID, instance: UInt64 = 1, attempt: UInt64 = 1, group: Bool = true,
    admits: Bool = true
  ) -> ConnectionID {
    let opened = open(node, group: group)
    give(.accepted(opened))
    let hello = hello(node, instance: instance, attempt: attempt, admits: admits)
    give(.received(hello, opened.connection))
    return opened.connection
  }

  /// Lets time pass with heartbeats coming in on a connection.
  func keepAlive(_ connection: ConnectionID, seconds: Double) {
    let end = now + .seconds(seconds)
    while now < end {
      give(.received(.heartbeat(Heartbeat()), connection))
      pass(seconds: min(2, Double(end - now) / 1e9))
    }
  }

  /// Plays a world in which every attempt fails at once, and tells the waits between them.
  func failedWaits(count: Int, within seconds: Double) -> [Double] {
    var times: [Int64] = []
    let end = now + .seconds(seconds)
    while times.count <= count, mesh.nextDeadlineNanoseconds <= end {
      now = max(now, mesh.nextDeadlineNanoseconds)
      give(.tick)
      for case .dial(let attempt, _) in taken() {
        times.append(now)
        give(.failed(attempt))
      }
    }
    return zip(times.dropFirst(), times).map { Double($0 - $1) / 1e9 }
  }
}

extension [MeshAction] {
  var dials: [AttemptID] {
    compactMap { if case .dial(let attempt, _) = $0 { attempt } else { nil } }
  }
  var dialledAddresses: [NodeAddress] {
    compactMap { if case .dial(_, let address) = $0 { address } else { nil } }
  }
  var admitted: [NodeID] {
    compactMap { if case .admitted(let member) = $0 { member.node } else { nil } }
  }
  var departed: [DepartureReason] {
    compactMap { if case .departed(_, let reason) = $0 { reason } else { nil } }
  }
  var closed: [CloseReason] {
    compactMap { if case .close(_, let reason) = $0 { reason } else { nil } }
  }
  var knocked: [NodeID] {
    compactMap { if case .knock(let node, _) = $0 { node } else { nil } }
  }
  var invited: [NodeID] {
    compactMap { if case .invited(let invitation) = $0 { invitation.node } else { nil } }
  }

  func closed(_ connection: ConnectionID) -> CloseReason? {
    for case .close(connection, let reason) in self { return reason }
    return nil
  }

  func sent(on connection: ConnectionID) -> [Message] {
    compactMap {
      if case .send(let message, connection) = $0 { message } else { nil }
    }
  }
}
