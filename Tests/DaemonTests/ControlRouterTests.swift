import Cryptography
import Logging
import Mesh
import Store
import Testing

@testable import ControlPlane
@testable import Intercom
@testable import NodeDaemon

@Suite struct ControlRouterTests {
  private static func node(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: [UInt8](repeating: octet, count: NodeID.byteCount)))
  }

  @Test func `what happens on connections reaches the membership once there is one`() async throws {
    let log = LogLines().logger("mesh")
    let router = ControlRouter(log: log)
    let membership = Membership(
      configuration: MeshConfiguration(
        node: try Self.node(1), instance: 1, profile: NodeProfile(name: "us"), policy: .open),
      media: NoMedia(),
      parts: MembershipParts(
        transport: NoTransport(), takesIPv6: true, store: { _ in nil }, report: { _ in }))
    let other = try Self.node(2)
    let connection = ConnectionID(rawValue: 3)
    let hello = Message.hello(
      Hello(node: other, instance: 4, profile: NodeProfile(name: "B"), admits: true))
    func connect() async {
      await router.handle(
        .accepted(
          OpenedConnection(connection: connection, node: other, provesGroup: true, remote: nil)))
      await router.handle(.received(hello, connection))
    }
    await connect()
    #expect(await membership.instances.isEmpty, "nobody was there to be told")
    let directory = try TestFolder()
    let state = try NodeState(directory: directory.path, unixSeconds: 1_800_000_000)
    let plane = try ControlPlane(
      configuration: ControlPlaneConfiguration(
        address: NodeAddress(.ipv4(0x7F00_0001), port: 0)), identity: state, groups: { [] },
      handler: router)
    router.attach(
      membership, Pairing(plane: plane, membership: membership, state: state, log: log))
    await connect()
    #expect(await membership.instances == [other: 4])
    await router.handle(.closed(connection))
    #expect(await membership.instances.isEmpty)
    await plane.stop()
    await membership.leave()
  }

  @Test func `faults of one reason are told once a minute, whatever strangers cause`() async {
    let lines = LogLines()
    let router = ControlRouter(log: lines.logger("mesh"))
    for _ in 0..<1000 {
      await router.note(ControlFault(.tls, "no TLS"))
      await router.note(ControlFault(.oversized, "4 GiB"))
    }
    #expect(lines.all.count == 2)
    #expect(lines.all[0].hasPrefix("INFO mesh: ") && lines.all[0].contains("no TLS"))
    #expect(lines.all[1].contains("4 GiB"))
  }

  @Test(arguments: [ControlFault.Reason.unreachable, .gone])
  func `peers that are away are nothing to read about, but for who looks closely`(
    reason: ControlFault.Reason
  ) async {
    let (lines, close) = (LogLines(), LogLines())
    await ControlRouter(log: lines.logger("mesh")).note(ControlFault(reason, "away"))
    await ControlRouter(log: close.logger("mesh", level: .debug)).note(ControlFault(reason, "away"))
    #expect(lines.all.isEmpty)
    #expect(close.all.count == 1 && close.all[0].hasPrefix("DEBUG mesh: "))
  }
}
