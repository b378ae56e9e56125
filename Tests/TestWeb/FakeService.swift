internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A server on the web that says what the test has it say, octet for octet.
public final class FakeService: Sendable {
  /// What is done with one connection.
  public struct Script: Sendable {
    /// Parts of the response, and the wait before each, milliseconds.
    public var parts: [(afterMilliseconds: Int64, text: String)]
    /// Whether the connection is closed after the last.
    public var closes: Bool

    /// A script.
    public init(parts: [(afterMilliseconds: Int64, text: String)], closes: Bool = true) {
      (self.parts, self.closes) = (parts, closes)
    }

    /// An HTTP response of that status.
    public static func response(_ status: String, _ content: String, more: String = "") -> Script {
      Script(parts: [
        (
          0,
          "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(more)"
            + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
        )
      ])
    }
  }

  private let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let channel: any Channel
  private let state = Mutex((scripts: [Script](), requests: [String]()))

  /// Listens; each connection gets the next script, and the last ones the last.
  public init(_ scripts: [Script]) async throws {
    let box = Box()
    channel = try await ServerBootstrap(group: threads)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Conversation(box))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    state.withLock { $0.scripts = scripts }
    box.service.withLock { $0 = self }
  }

  /// Where it listens.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// All that was asked, heads and contents, by connection.
  public var requests: [String] { state.withLock { $0.requests } }

  /// Ends it.
  public func stop() async throws {
    try await channel.close()
    try await threads.shutdownGracefully()
  }

  fileprivate func take(_ request: String) -> Script? {
    state.withLock { state in
      state.requests.append(request)
      guard let first = state.scripts.first else { return nil }
      if state.scripts.count > 1 { state.scripts.removeFirst() }
      return first
    }
  }
}

private final class Box: Sendable {
  let service = Mutex<FakeService?>(nil)
}

/// Reads one request, and plays its script.
private final class Conversation: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let box: Box
  private var text = ""
  private var isAnswering = false

  init(_ box: Box) { self.box = box }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    guard !isAnswering, let end = text.firstRange(of: "\r\n\r\n") else { return }
    let head = text[..<end.lowerBound].lowercased()
    let length = head.firstRange(of: "content-length: ").flatMap {
      Int(head[$0.upperBound...].prefix { $0.isNumber })
    }
    guard text[end.upperBound...].utf8.count >= length ?? 0 else { return }
    isAnswering = true
    guard let script = box.service.withLock({ $0 })?.take(text) else {
      return context.close(promise: nil)
    }
    play(script.parts[...], script.closes, context)
  }

  private func play(
    _ parts: ArraySlice<(afterMilliseconds: Int64, text: String)>, _ closes: Bool,
    _ context: ChannelHandlerContext
  ) {
    guard let part = parts.first else {
      if closes { context.close(promise: nil) }
      return
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: .milliseconds(part.afterMilliseconds)) {
      let (conversation, context) = bound.value
      guard context.channel.isActive else { return }
      context.writeAndFlush(
        conversation.wrapOutboundOut(ByteBuffer(string: part.text)), promise: nil)
      conversation.play(parts.dropFirst(), closes, context)
    }
  }
}
