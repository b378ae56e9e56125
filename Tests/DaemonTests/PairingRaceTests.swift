import Cryptography
import Glibc
import Mesh
import Store
import Synchronization
import Testing

@testable import ControlPlane
@testable import NodeDaemon

@Suite(.timeLimit(.minutes(1))) struct PairingRaceTests {
  /// Holds every pairing connection until it is over.
  private final class Answering: ControlPlaneHandler {
    private let count = Mutex(0)
    var pairings: Int { count.withLock { $0 } }
    func handle(_ event: MeshEvent) async {}
    func note(_ fault: ControlFault) async {}
    func pair(_ channel: PairingChannel) async {
      count.withLock { $0 += 1 }
      _ = try? await channel.receive()
    }
  }

  /// A port where connections are taken by the kernel and nobody says anything.
  private struct SilentPort: ~Copyable {
    private let descriptor: Int32
    let address: NodeAddress

    init() throws {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let code = unsafe withUnsafeMutablePointer(to: &name) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          let bound = unsafe bind(descriptor, pointer, size)
          return bound == 0 && listen(descriptor, 8) == 0
            ? unsafe getsockname(descriptor, pointer, &size) : -1
        }
      }
      self.descriptor = descriptor
      try #require(code == 0)
      address = NodeAddress(.ipv4(0x7F00_0001), port: UInt16(bigEndian: name.sin_port))
    }

    deinit { close(descriptor) }
  }

  private let folders: [TestFolder]
  private let own: ControlPlane
  private let other: ControlPlane
  private let answering = Answering()
  private let otherID: NodeID

  init() async throws {
    folders = [try TestFolder(), try TestFolder()]
    let states = try folders.map { folder in
      try NodeState(directory: folder.path, unixSeconds: 1_800_000_000)
    }
    let loopback = ControlPlaneConfiguration(address: NodeAddress(.ipv4(0x7F00_0001), port: 0))
    own = try ControlPlane(
      configuration: loopback, identity: states[0], groups: { [] }, handler: Answering())
    other = try ControlPlane(
      configuration: loopback, identity: states[1], groups: { [] }, handler: answering)
    otherID = states[1].id
    try await own.start()
    try await other.start()
  }

  private func stop() async {
    await own.stop()
    await other.stop()
  }

  @Test func `addresses that hang or refuse do not keep the one that answers waiting`() async throws
  {
    let hung = try SilentPort()
    let refusing: NodeAddress
    do { refusing = try SilentPort().address }
    let addresses = [hung.address, refusing, other.localAddress]
    let outcome = try #require(await PairingRace.open(addresses, by: own))
    let channel = try outcome.get()
    #expect(channel.peer == otherID)
    #expect(channel.remote == other.localAddress)
    channel.close()
    await stop()
  }

  @Test func `of several addresses that answer one is used, and the others are let go`()
    async throws
  {
    let outcome = try #require(
      await PairingRace.open(Array(repeating: other.localAddress, count: 4), by: own))
    let channel = try outcome.get()
    // Longer than the steps between all four.
    try await Task.sleep(for: .milliseconds(1500))
    try await channel.send([1])
    #expect((1...4).contains(answering.pairings))
    channel.close()
    await stop()
  }

  @Test func `where nobody answers the first reason is told, without addresses nothing`()
    async throws
  {
    let refusing: NodeAddress
    do { refusing = try SilentPort().address }
    let outcome = try #require(await PairingRace.open([refusing], by: own))
    #expect {
      _ = try outcome.get()
    } throws: {
      "\($0)".contains("refused")
    }
    let isNothing = await PairingRace.open([], by: own).map { _ in false } ?? true
    #expect(isNothing)
    await stop()
  }
}
