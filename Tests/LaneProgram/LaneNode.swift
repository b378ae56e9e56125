import ControlPlane
import Cryptography
import Glibc
import Mesh
import Synchronization

/// A node's membership and control connections, without sound: what is tested is what travels on them.
final class LaneNode: ControlPlaneHandler {
  private final class Identity: ControlIdentity {
    private let key: NodeKey

    init() throws { key = try NodeKey() }

    var publicKey: PublicKey { key.publicKey }

    func signature(of message: RawSpan) throws(CryptoError) -> [UInt8] {
      try key.signature(of: message)
    }
  }

  private struct State {
    let mesh: Mesh
    var heardNanoseconds: Int64?
    var record = Record()
  }

  /// What happened to the only other member.
  struct Record {
    /// The longest time between two of its heartbeats.
    var longestGapNanoseconds: Int64 = 0
    var heartbeats = 0
    var connections = 0
    var departures = 0
    var faults: [String] = []
    var member: NodeID?
  }

  private let state: Mutex<State>
  private let plane = Mutex<ControlPlane?>(nil)

  /// Listens, and lets everybody in.
  init(_ name: String, at address: NodeAddress) async throws {
    let identity = try Identity()
    let profile = NodeProfile(
      name: name, controlAddresses: [NodeAddress(.observed, port: address.port)])
    let configuration = MeshConfiguration(
      node: NodeID(of: identity.publicKey), instance: 1, profile: profile, policy: .open)
    state = Mutex(
      State(mesh: Mesh(configuration, random: SystemRandomNumberGenerator())))
    let plane = try ControlPlane(
      configuration: ControlPlaneConfiguration(address: address), identity: identity,
      groups: { [] }, handler: self)
    self.plane.withLock { $0 = plane }
    try await plane.start()
    Task {
      while true {
        give(.tick)
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  static var nowNanoseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  var lane: ControlLane? { plane.withLock { $0?.lane } }
  var record: Record { state.withLock { $0.record } }

  /// The other member, once there is one.
  func member() async throws -> NodeID {
    while true {
      if let member = record.member { return member }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Calls whoever is there.
  func call(_ address: NodeAddress) { give(.named(1, [address])) }

  /// The connection is lost, as where an address went away: this node makes another, and stays a member.
  func reconnect() {
    let connection = state.withLock { state in
      state.record.member.flatMap { state.mesh.connections(of: $0).last }
    }
    if let connection { give(.uprooted(connection)) }
  }

  /// Says goodbye.
  func leave() async {
    give(.leave)
    await plane.withLock { $0 }?.stop()
  }

  func handle(_ event: MeshEvent) async {
    if case .received(.heartbeat, _) = event { noteHeartbeat() }
    give(event)
  }

  func note(_ fault: ControlFault) async {
    state.withLock { $0.record.faults.append(fault.description) }
  }

  func pair(_ channel: PairingChannel) async {}

  private func noteHeartbeat() {
    let now = Self.nowNanoseconds
    state.withLock { state in
      if let heard = state.heardNanoseconds {
        let gap = now - heard
        state.record.longestGapNanoseconds = max(state.record.longestGapNanoseconds, gap)
      }
      state.heardNanoseconds = now
      state.record.heartbeats += 1
    }
  }

  private func give(_ event: MeshEvent) {
    guard let plane = plane.withLock({ $0 }) else { return }
    state.withLock { state in
      for action in state.mesh.handle(event, nowNanoseconds: Self.nowNanoseconds) {
        Self.note(action, &state.record)
        Self.perform(action, by: plane)
      }
    }
  }

  private static func note(_ action: MeshAction, _ record: inout Record) {
    switch action {
    case .admitted(let member): record.member = member.node
    case .departed(_, let reason):
      record.member = nil
      // The sender says goodbye when all was acknowledged, before the receiver looks at its own record.
      if reason != .goodbye { record.departures += 1 }
    case .raise: record.connections += 1
    default: break
    }
  }

  private static func perform(_ action: MeshAction, by plane: ControlPlane) {
    switch action {
    case .dial(let attempt, let address): plane.dial(attempt, address)
    case .abandon(let attempt): plane.abandon(attempt)
    case .close(let connection, .uprooted):
      // Of an address that went away the other end is not told.
      Task {
        try await Task.sleep(for: .seconds(3))
        plane.close(connection)
      }
    case .close(let connection, _): plane.close(connection)
    case .send(let message, let connection): plane.send(message, on: connection)
    case .raise(let connection): plane.raiseLimit(of: connection)
    default: break
    }
  }
}
