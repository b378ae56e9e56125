import NIOCore
import NIOPosix
import Speech
import Synchronization
import Testing

@testable import SpeechLink

/// Who gets at a satellite, by real sockets.
@Suite(.timeLimit(.minutes(1))) struct SatelliteServerTests {
  private final class Client: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let octets = Mutex<[UInt8]>([])
    let isOver = Mutex(false)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let read = Array(Self.unwrapInboundIn(data).readableBytesView)
      octets.withLock { $0 += read }
    }

    func channelInactive(context: ChannelHandlerContext) { isOver.withLock { $0 = true } }

    var events: [WyomingEvent] {
      var decoder = WyomingDecoder()
      decoder.append(octets.withLock { $0 })
      var events: [WyomingEvent] = []
      while let event = try? decoder.next() { events.append(event) }
      return events
    }
  }

  private func connect(_ port: Int) async throws -> (client: Client, channel: any Channel) {
    let client = Client()
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in channel.pipeline.addHandler(client) }
      .connect(host: "127.0.0.1", port: port).get()
    return (client, channel)
  }

  private func wait(_ what: String, until isSo: () -> Bool) async throws {
    for _ in 0..<1500 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what)")
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("192.168.1.5", true),
    ("::ffff:192.168.1.5", true), ("fd00::5", true), ("fe80::1%eth0", true),
    ("192.168.1.6", false), ("", false), ("127.0.0.1.evil", false), ("::", false),
  ])
  func `this machine and listed ones are let in`(address: String, isIn: Bool) {
    let hosts = ["192.168.1.5", "fd00::5", "fe80::1"]
    #expect(SatelliteServer.isAllowed(address, beside: hosts) == isIn)
  }

  @Test func `the newest client stays, and gets the microphone when it asks`() async throws {
    let lines = Mutex<[SatelliteLine]>([])
    let server = try await SatelliteServer(
      host: "127.0.0.1", port: 0, allowing: [], name: "Stage", version: "1",
      refused: { Issue.record("\($0) is refused") },
      serve: { line in lines.withLock { $0.append(line) } })
    let first = try await connect(server.port)
    try await wait("the first") { lines.withLock { $0.count == 1 } }
    let second = try await connect(server.port)
    try await wait("the second") { lines.withLock { $0.count == 2 } }
    try await wait("the first is let go of") { first.client.isOver.withLock { $0 } }
    let line = try #require(lines.withLock { $0.last })
    try await second.channel.writeAndFlush(
      ByteBuffer(bytes: WyomingEvent("run-satellite").octets))
    #expect(await line.next() == [.listen])
    line.append(sound: [1, 2, 3, 4])
    try await wait("sound") { second.client.events.map(\.type) == ["run-pipeline", "audio-chunk"] }
    // Rubbish ends the connection.
    try await second.channel.writeAndFlush(ByteBuffer(bytes: Array("nonsense\n".utf8)))
    #expect(await line.next() == nil)
    try await wait("is let go of") { second.client.isOver.withLock { $0 } }
    await server.stop()
  }
}
