import ControlPlane
import Cryptography
import Mesh
import StatusSchema
import Store
import Synchronization

@testable import Intercom
@testable import NodeDaemon

/// A node as far as it is needed to pair: state, control connections, membership and pairing.
final class PairingEnd: ControlPlaneHandler {
  let state: NodeState
  let membership: Membership
  let lines = LogLines()
  private let folder: TestFolder
  private let parts = Mutex<(plane: ControlPlane, pairing: Pairing)?>(nil)
  private let clock = Mutex<Int64>(1_000_000_000)
  private let (answers, answered) = AsyncStream.makeStream(of: Void.self)

  init(groups: [String] = []) async throws {
    folder = try TestFolder()
    state = try NodeState(directory: folder.path, unixSeconds: 1_800_000_000)
    for name in groups { _ = try state.makeGroup(named: name) }
    membership = Membership(
      configuration: MeshConfiguration(
        node: state.id, instance: 1, profile: NodeProfile(name: "node")),
      media: NoMedia(),
      parts: MembershipParts(
        transport: NoTransport(), takesIPv6: true, store: { _ in nil }, report: { _ in }))
    let plane = try ControlPlane(
      configuration: ControlPlaneConfiguration(
        address: NodeAddress(.ipv4(0x7F00_0001), port: 0)), identity: state, groups: { [] },
      handler: self)
    let pairing = Pairing(
      plane: plane, membership: membership, state: state, log: lines.logger("mesh")
    ) { [self] in clock.withLock { $0 } }
    parts.withLock { $0 = (plane, pairing) }
    try await plane.start()
  }

  func handle(_ event: MeshEvent) async {}
  func note(_ fault: ControlFault) async {}
  func pair(_ channel: PairingChannel) async {
    await parts.withLock { $0?.pairing }?.answer(channel)
    answered.yield()
  }

  func pass(seconds: Int64) { clock.withLock { $0 += seconds * 1_000_000_000 } }

  /// Its port on this machine, as a user types it.
  var address: String { "127.0.0.1:\(parts.withLock { $0?.plane.localAddress.port } ?? 0)" }

  func show(group: String? = nil) async throws -> String {
    guard let pairing = parts.withLock({ $0?.pairing }) else { throw PairingProblem.nothingShown }
    return try await pairing.show(group: group).pin
  }

  /// Types a PIN, and waits until the other is done too.
  func pair(with other: PairingEnd, pin: String) async throws {
    guard let pairing = parts.withLock({ $0?.pairing }) else { throw PairingProblem.nothingShown }
    let outcome: Result<NodeID, any Error>
    do {
      outcome = .success(try await pairing.pair(with: other.address, pin: pin))
    } catch {
      outcome = .failure(error)
    }
    if other !== self { for await _ in other.answers { break } }
    _ = try outcome.get()
  }

  /// Who is trusted.
  var trusted: [NodeID] {
    get async {
      await membership.knownNodes.filter { $0.admission == "trusted" }
        .compactMap { $0.id.flatMap { NodeID(text: $0) } }
    }
  }

  /// Its groups in order of their names.
  var groups: [String] { state.groups.map(\.name).sorted() }

  func stop() async {
    await parts.withLock { $0?.plane }?.stop()
    await membership.leave()
    // The two know each other.
    parts.withLock { $0 = nil }
  }
}
