import CRealtime
import Glibc
import TestJack
import TestKit
import Testing

/// Daemons that come to the plugin and go a thousand times leave nothing behind, in jackd or with themselves.
@Suite("JACK plugin: coming and going", .serialized, .libjackTurn)
struct JackPluginReconnectTests {
  private static let rounds = Seeds.rounds(1000, shortenedBy: 5)
  /// Until heaps are as large as they get.
  private static let warmUpRounds = Seeds.rounds(100, shortenedBy: 5)

  private let plugin: TestPlugin

  init() throws { plugin = try TestPlugin() }

  @Test
  func `no descriptors, threads, mappings, ports or memory stay of a daemon that left`()
    async throws
  {
    let server = try await TestServer.start(periodFrames: 64, plugin: plugin)
    for round in 0..<Self.warmUpRounds { try comeAndGo(round) }
    let before = server.holdings
    let (ports, own) = (server.ports(), Self.ownDescriptorCount)
    try #require(before.descriptors > 0 && before.mappings > 0 && !ports.isEmpty)
    for round in Self.warmUpRounds..<Self.rounds { try comeAndGo(round) }
    #expect(await eventually { server.holdings.isNoMore(than: before) }, "\(before)")
    let after = server.holdings
    // A hundred bytes a round would be 90 kB.
    #expect(after.writtenKilobytes <= before.writtenKilobytes + 64, "\(before), \(after)")
    #expect(server.ports() == ports)
    // Less where what tests before left behind is closed meanwhile.
    #expect(Self.ownDescriptorCount <= own)
  }

  /// One daemon that takes its leave, as by SIGTERM, or whose socket just ends, as by SIGKILL.
  private func comeAndGo(_ round: Int) throws {
    let engine = try SharedEngine()
    let peer = "peer_\(round % 8)"
    guard round % 2 == 0 else { return try dropIn(as: peer, memory: TestMemory.ofEngine()) }
    try #require(unsafe rt_peer_set_port(engine.handle, 0, peer) == 0)
    let code = retried { engine.open(plugin.socketPath) }
    try #require(code == 0, "round \(round)")
    try #require(unsafe rt_connect(engine.handle, "comlink:\(peer)", "system:playback_1") == 0)
    unsafe rt_peer_clear_port(engine.handle, 0)
  }

  /// A daemon that does not wait for any answer, and leaves its peer's port to its successors.
  private func dropIn(as peer: String, memory: Int32) throws {
    let wake = try EventDescriptor()
    let good = try TestMemory(like: memory, seals: 7)
    var link: RawLink?
    let code = try retried {
      let next = try RawLink(plugin.socketPath)
      next.send(RawLink.hello(), descriptors: [good.descriptor, wake.number])
      link = next
      return next.welcomeResult() ?? -EPIPE
    }
    try #require(code == 0)
    var request = rt_link_request()
    (request.serial, request.kind, request.port) = (1, RT_LINK_SET_PORT.rawValue, 5)
    unsafe withUnsafeMutableBytes(of: &request.source) { unsafe $0.copyBytes(from: peer.utf8) }
    link?.send(unsafe withUnsafeBytes(of: request) { unsafe Array($0) })
  }

  /// As often as the predecessor is still on its way out.
  private func retried(_ open: () throws -> Int32) rethrows -> Int32 {
    var code = try open()
    for _ in 0..<1000 where code == -EBUSY {
      usleep(1000)
      code = try open()
    }
    return code
  }

  private static var ownDescriptorCount: Int {
    (0..<1024 as Range<Int32>).count { fcntl($0, F_GETFD) >= 0 }
  }
}
