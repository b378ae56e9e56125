import ControlPlane
import Cryptography
import Mesh
import Synchronization

/// A node's key, for tests.
final class TestIdentity: ControlIdentity {
  private let key: NodeKey

  init() throws { key = try NodeKey() }

  var publicKey: PublicKey { key.publicKey }
  var id: NodeID { key.id }

  func signature(of message: RawSpan) throws(CryptoError) -> [UInt8] {
    try key.signature(of: message)
  }
}

/// A control plane at 127.0.0.1, and all that a test wants of it.
final class Station: Sendable {
  let identity: TestIdentity
  let recorder = Recorder()
  let plane: ControlPlane
  private let attempts = Mutex<UInt64>(0)

  static let loopback = NodeAddress(.ipv4(0x7F00_0001), port: 0)

  private final class Groups: Sendable {
    let all: Mutex<[Group]>
    init(_ groups: [Group]) { all = Mutex(groups) }
  }

  private let box: Groups

  init(
    groups: [Group] = [], address: NodeAddress = Station.loopback,
    identity: TestIdentity? = nil, _ change: (inout ControlPlaneConfiguration) -> Void = { _ in }
  ) throws {
    self.identity = try identity ?? TestIdentity()
    let box = Groups(groups)
    self.box = box
    var configuration = ControlPlaneConfiguration(address: address)
    change(&configuration)
    plane = try ControlPlane(
      configuration: configuration, identity: self.identity,
      groups: { box.all.withLock { $0 } }, handler: recorder)
  }

  var id: NodeID { identity.id }

  func setGroups(_ groups: [Group]) {
    box.all.withLock { $0 = groups }
    plane.groupsChanged()
  }

  /// Begins an attempt.
  func dial(_ address: NodeAddress) -> AttemptID {
    let attempt = attempts.withLock { attempts in
      attempts += 1
      return AttemptID(rawValue: attempts)
    }
    plane.dial(attempt, address)
    return attempt
  }

  /// Connects to another one; both ends.
  func connect(
    to other: Station
  ) async throws -> (own: OpenedConnection, other: OpenedConnection) {
    let attempt = dial(other.plane.localAddress)
    return (try await recorder.dialled(attempt), try await other.recorder.accepted())
  }
}

/// Runs a test with planes that are started before and stopped after it.
func withStations(
  _ stations: Station..., body: () async throws -> Void
) async throws {
  for station in stations { try await station.plane.start() }
  do {
    try await body()
  } catch {
    for station in stations {
      station.recorder.hold(false)
      station.recorder.letGo()
      await station.plane.stop()
    }
    throw error
  }
  for station in stations {
    station.recorder.hold(false)
    station.recorder.letGo()
    await station.plane.stop()
  }
}
