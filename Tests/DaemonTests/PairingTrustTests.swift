import ControlPlane
import Cryptography
import Intercom
import Mesh
import Store
import Testing

@testable import Intercom
@testable import NodeDaemon

@Suite struct PairingTrustTests {
  @Test(.timeLimit(.minutes(1)))
  func `who proved the PIN is trusted, though its last frame never comes`() async throws {
    let (folder, otherFolder) = (try TestFolder(), try TestFolder())
    let state = try NodeState(directory: folder.path, unixSeconds: 1_800_000_000)
    let other = try NodeState(directory: otherFolder.path, unixSeconds: 1_800_000_000)
    let (memories, kept) = AsyncStream.makeStream(of: MeshMemory.self)
    let membership = Membership(
      configuration: MeshConfiguration(
        node: state.id, instance: 1, profile: NodeProfile(name: "us")),
      media: NoMedia(),
      parts: MembershipParts(
        transport: NoTransport(), takesIPv6: true,
        store: {
          kept.yield($0)
          return nil
        }, report: { _ in }))
    await membership.start()
    let log = LogLines().logger("pairing")
    let router = ControlRouter(log: log)
    let (plane, otherPlane) = (try Self.plane(state, router), try Self.plane(other, router))
    let pairing = Pairing(plane: plane, membership: membership, state: state, log: log)
    router.attach(membership, pairing)
    try await plane.start()

    let shown = try await pairing.show(group: nil)
    let channel = try await otherPlane.openPairing(to: plane.localAddress)
    var party = try PairingInitiator(
      own: other.publicKey, peer: channel.peerKey, pin: PairingPIN(typed: shown.pin))
    try await channel.send(party.hello)
    try await channel.send(party.receive(answer: channel.receive()))
    _ = try party.receive(confirmation: await channel.receive())
    channel.close()
    for await memory in memories where memory.trusted == [other.id] { break }

    await membership.leave()
    await otherPlane.stop()
    await plane.stop()
  }

  private static func plane(
    _ state: NodeState, _ handler: any ControlPlaneHandler
  ) throws -> ControlPlane {
    let loopback = NodeAddress(.ipv4(0x7F00_0001), port: 0)
    return try ControlPlane(
      configuration: ControlPlaneConfiguration(address: loopback), identity: state, groups: { [] },
      handler: handler)
  }
}
