internal import Assistant
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import WebService

/// One question on its way: carries out what ``ChatExchange`` decides.
///
/// Lives on the client's loop.
final class ChatAsking {
  private let server: ChatServer
  private let content: [UInt8]
  private let loop: any EventLoop
  private let tell: (ChatClient.Event) -> Void
  /// Called once nothing more happens.
  var over: () -> Void = {}
  private var exchange: ChatExchange
  private var channel: (any Channel)?
  private var isSettling = false
  private var timer: (deadline: Int64, task: Scheduled<Void>)?

  init(
    _ server: ChatServer, _ content: [UInt8], _ patience: ChatPatience, on loop: any EventLoop,
    tell: @escaping (ChatClient.Event) -> Void
  ) {
    (self.server, self.content, self.loop, self.tell) = (server, content, loop, tell)
    exchange = ChatExchange(patience, nowNanoseconds: Self.now())
  }

  /// Nobody wants the answer any more.
  func cancel() {
    exchange.cancel()
    settle()
  }

  /// Something happened at an attempt's connection.
  func note(_ change: (inout ChatExchange, _ nowNanoseconds: Int64) -> Void) {
    change(&exchange, Self.now())
    settle()
  }

  /// The request's parts.
  var request: (head: HTTPRequestHead, content: ByteBuffer) {
    (server.head(byteCount: content.count), ByteBuffer(bytes: content))
  }

  /// Carries out what is decided.
  func settle() {
    // A connection that is closed says so at once: that comes after what was decided before.
    guard !isSettling else { return }
    isSettling = true
    var actions = exchange.takeActions()
    while !actions.isEmpty {
      for action in actions { carryOut(action) }
      actions = exchange.takeActions()
    }
    isSettling = false
    schedule()
    guard exchange.isOver else { return }
    over()
    over = {}
  }

  private func carryOut(_ action: ChatExchange.Action) {
    switch action {
    case .connect(let attempt): connect(attempt)
    case .close:
      channel?.close(promise: nil)
      channel = nil
    case .tell(let piece): tell(.piece(piece))
    case .fail(let fault): tell(.fault(fault))
    }
  }

  private func connect(_ attempt: Int) {
    let asking = NIOLoopBound(self, eventLoop: loop)
    let (place, loop) = (server.place, loop)
    let connecting = ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          if place.isSecure {
            try pipeline.addHandler(WebTrust.handler(for: place))
          }
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandler(ChatConnection(asking.value, attempt))
        }
      }
      .connect(host: place.host, port: place.port)
    connecting.whenComplete { result in
      switch result {
      case .success(let channel): asking.value.take(channel, attempt)
      case .failure(let error):
        asking.value.note { $0.ended(attempt, with: ChatWords.fault(error), nowNanoseconds: $1) }
      }
    }
  }

  /// A connection that came too late is not wanted any more.
  private func take(_ channel: any Channel, _ attempt: Int) {
    guard exchange.isConnecting(attempt) else { return channel.close(promise: nil) }
    self.channel = channel
  }

  private func schedule() {
    let deadline = exchange.deadlineNanoseconds
    guard timer?.deadline != deadline else { return }
    timer?.task.cancel()
    timer = nil
    guard deadline < .max else { return }
    let asking = NIOLoopBound(self, eventLoop: loop)
    let task = loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(max(0, deadline)))) {
      asking.value.timer = nil
      asking.value.note { $0.tick(nowNanoseconds: $1) }
    }
    timer = (deadline, task)
  }

  private static func now() -> Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }
}

/// One attempt's connection: the request out, the response in.
private final class ChatConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let asking: ChatAsking
  private let attempt: Int
  private var hasEnded = false

  init(_ asking: ChatAsking, _ attempt: Int) { (self.asking, self.attempt) = (asking, attempt) }

  func channelActive(context: ChannelHandlerContext) {
    let request = asking.request
    context.write(wrapOutboundOut(.head(request.head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(request.content))), promise: nil)
    let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
    // With TLS, after its handshake.
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenSuccess {
      let (asking, attempt) = (connection.value.asking, connection.value.attempt)
      asking.note { $0.sent(attempt, nowNanoseconds: $1) }
    }
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let attempt = attempt
    switch unwrapInboundIn(data) {
    case .head(let head):
      let reader = ChatReader(
        status: Int(head.status.code), type: head.headers.first(name: "Content-Type"),
        retryAfter: head.headers.first(name: "Retry-After"))
      asking.note { $0.take(head: reader, attempt, nowNanoseconds: $1) }
    case .body(let body):
      asking.note { $0.take(body.readableBytesView, attempt, nowNanoseconds: $1) }
    case .end: end(with: nil)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(with: ChatWords.fault(error))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { end(with: .cut) }

  private func end(with fault: ChatFault?) {
    guard !hasEnded else { return }
    hasEnded = true
    let attempt = attempt
    asking.note { $0.ended(attempt, with: fault, nowNanoseconds: $1) }
  }
}

/// What SwiftNIO says of a connection, for people.
enum ChatWords {
  static func fault(_ error: any Error) -> ChatFault {
    switch WebFault(error) {
    case .unreachable(let words): .unreachable(words)
    case .late: .late(.connection)
    case .malformed: .malformed("not HTTP")
    case .cut, .tooLong: .cut
    }
  }
}
