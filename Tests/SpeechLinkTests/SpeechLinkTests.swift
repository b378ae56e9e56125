import NIOCore
import NIOPosix
import Speech
import Testing

@testable import SpeechLink

/// Calls over real sockets to a service that follows a script.
@Suite(.timeLimit(.minutes(1))) struct SpeechLinkTests {
  /// A service that takes connections, and answers each octet that it is to answer with what the script says.
  private final class ScriptedService: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var decoder = WyomingDecoder()
    private let script: @Sendable (WyomingEvent) -> [UInt8]?

    init(_ script: @escaping @Sendable (WyomingEvent) -> [UInt8]?) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      decoder.append(Self.unwrapInboundIn(data).readableBytesView)
      while let event = try? decoder.next() {
        guard let answer = script(event) else {
          context.close(promise: nil)
          return
        }
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: answer)), promise: nil)
      }
    }
  }

  /// Runs `body` beside a service that answers each event by the script; nil: it closes the connection.
  private func withService(
    _ script: @escaping @Sendable (WyomingEvent) -> [UInt8]?,
    _ body: (ServiceAddress) async throws -> Void
  ) async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ScriptedService(script))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = UInt16(try #require(server.localAddress?.port))
    do {
      try await body(.tcp(host: "127.0.0.1", port: port))
    } catch {
      try await server.close()
      throw error
    }
    try await server.close()
  }

  private func all(_ line: SpeechLine) async -> [SpeechNews] {
    var all: [SpeechNews] = []
    while let news = await line.next() { all += news }
    return all
  }

  @Test func `speech that is given before the connection is there becomes text`() async throws {
    let link = SpeechLink()
    try await withService { event in
      guard event.type == "audio-stop" else { return [] }
      return WyomingEvent("transcript", ["text": .string("so be it")]).octets
    } _: { address in
      let line = try link.call(.recognise(language: "en"), at: address)
      for _ in 0..<10 { line.append(sound: [UInt8](repeating: 1, count: 640)) }
      line.finishSound()
      #expect(await all(line) == [.text("so be it", language: nil, confidence: nil), .done])
    }
    link.stop()
  }

  @Test func `sound comes whole, however slowly it is taken`() async throws {
    let link = SpeechLink()
    try await withService { _ in
      let data: [String: JSONValue] = [
        "rate": .integer(24_000), "width": .integer(2), "channels": .integer(1),
      ]
      var octets = WyomingEvent("audio-start", data).octets
      for index in 0..<1000 {
        let payload = [UInt8](repeating: UInt8(index % 251), count: 4800)
        octets += WyomingEvent("audio-chunk", data, payload: payload).octets
      }
      return octets + WyomingEvent("audio-stop").octets
    } _: { address in
      let line = try link.call(.speak(text: "much", voice: nil), at: address)
      var (count, blocks, most) = (0, 0, 0)
      while let news = await line.next() {
        await Task.yield()
        blocks += 1
        most = max(most, news.count)
        for case .sound(let pcm) in news { count += pcm.count }
      }
      #expect(count == 4_800_000)
      // It is read as it is taken: never all at once.
      #expect(blocks > 5 && most < 500, "\(blocks) \(most)")
    }
    link.stop()
  }

  @Test func `a service that ends the connection, and one that is not there, are told`()
    async throws
  {
    let link = SpeechLink()
    var gone = ServiceAddress.unix(path: "/nowhere.sock")
    try await withService { _ in
      nil
    } _: { address in
      gone = address
      let line = try link.call(.describe, at: address)
      #expect(await all(line) == [.failed(.gone)])
    }
    #expect(await all(try link.call(.describe, at: gone)) == [.failed(.unreachable)])
    let nowhere = ServiceAddress.unix(path: "/nowhere.sock")
    #expect(await all(try link.call(.describe, at: nowhere)) == [.failed(.unreachable)])
    link.stop()
  }

  @Test func `a silent service is given up`() async throws {
    var times = SpeechTimes()
    times.answerNanoseconds = 50_000_000
    let link = SpeechLink(times: times)
    try await withService { _ in
      []
    } _: { address in
      let news = try await all(link.call(.describe, at: address))
      #expect(news == [.failed(.late)])
    }
    link.stop()
  }

  @Test func `a service that does not read never holds up who speaks`() async throws {
    let link = SpeechLink()
    // It takes the connection and nothing else.
    let deaf = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false).bind(host: "127.0.0.1", port: 0).get()
    let port = UInt16(try #require(deaf.localAddress?.port))
    let line = try link.call(.recognise(language: nil), at: .tcp(host: "127.0.0.1", port: port))
    let block = [UInt8](repeating: 0, count: 32_000)
    for _ in 0..<2000 { line.append(sound: block) }
    let news = await all(line)
    #expect(news == [.failed(.behind)])
    try await deaf.close()
    link.stop()
  }

  @Test func `another machine is spoken to only where it was listed`() throws {
    let far = try #require(ServiceAddress("tcp://192.0.2.1:10300"))
    let link = SpeechLink()
    #expect(throws: SpeechLinkError.notAllowed(far)) { try link.call(.describe, at: far) }
    link.stop()
    let open = SpeechLink(allowing: ["192.0.2.1"])
    #expect(throws: Never.self) { try open.call(.describe, at: far) }
    open.stop()
  }

  @Test func `after the end of the link every call has ended`() async throws {
    let link = SpeechLink()
    try await withService { _ in
      []
    } _: { address in
      let line = try link.call(.wake(words: []), at: address)
      link.stop()
      let end = await all(line).last
      #expect(end == .failed(.gone) || end == .failed(.stopped) || end == .failed(.unreachable))
      let refused = try await all(link.call(.describe, at: address))
      #expect(refused == [.failed(.stopped)])
    }
  }
}
