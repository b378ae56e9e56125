internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import ServiceLoop

/// Answers the requests of one connection, one after the other, until it becomes a WebSocket or is idle.
///
/// One deadline covers each wait: it is set when the client connects and when an answer has been taken, never by mere
/// bytes, so that neither a request that trickles in nor an answer that nobody reads keeps a place.
final class PageDoor: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let answer: (PageRequest) -> PageAnswer
  private let limits: PageLimits
  private let limit: RequestLimit
  private let place: AddressPlaces.Place
  private let address: String
  private let rest: PageService?
  private var exchange: RestExchange?
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var isClosing = false
  private var deadline: Scheduled<Void>?
  private var rate: RateBound

  init(
    limits: PageLimits, limit: RequestLimit, place: AddressPlaces.Place, address: String,
    rest: PageService?, answer: @escaping (PageRequest) -> PageAnswer
  ) {
    self.answer = answer
    self.limits = limits
    self.limit = limit
    self.place = place
    self.address = address
    self.rest = rest
    rate = RateBound(most: limits.requestBurst, perSecond: limits.requestsPerSecond)
  }

  func handlerAdded(context: ChannelHandlerContext) { renewDeadline(context) }

  func handlerRemoved(context: ChannelHandlerContext) {
    deadline?.cancel()
    leaveExchange()
  }

  func channelInactive(context: ChannelHandlerContext) {
    leaveExchange()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
      begin(head, context)
    case .body(let part):
      if let exchange { return exchange.take(part) }
      guard body.count + part.readableBytes <= PageRouter.bodyLimitBytes else {
        return write(
          .words(.payloadTooLarge, "the content is too long", isLast: true), context)
      }
      body += part.readableBytesView
    case .end:
      guard let head else { return }
      limit.renew()
      if let exchange { return exchange.end() }
      let request = PageRequest(head: head, body: body, address: address)
      guard rate.take() else {
        return write(.words(.tooManyRequests, "too many requests", isLast: true), context)
      }
      write(answer(request), context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Who may not open a socket is told so: the request comes here as any other.
    if error is NIOWebSocketUpgradeError { return }
    context.close(promise: nil)
  }

  /// - Parameter isEarly: before the request's end: the connection goes, but not at once, so that this arrives.
  private func write(
    _ answer: PageAnswer, _ context: ChannelHandlerContext, isEarly: Bool = false
  ) {
    isClosing = isEarly || answer.isLast || head?.isKeepAlive == false
    let isWhole = head?.method != .HEAD && answer.status != .notModified
    var headers = HTTPHeaders(answer.headers)
    headers.add(name: "Connection", value: isClosing ? "close" : "keep-alive")
    if answer.status.mayHaveResponseBody {
      headers.add(name: "Content-Length", value: "\(answer.body.readableBytes)")
    }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if isWhole { context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
    let door = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      guard !isEarly else { return }
      let (door, context) = door.value
      if door.isClosing { context.close(promise: nil) } else { door.renewDeadline(context) }
    }
  }

  /// - Parameter more: for what takes longer than others.
  private func renewDeadline(_ context: ChannelHandlerContext, more: Duration = .zero) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.connectionTime + more)) {
      channel.close(promise: nil)
    }
  }
}

/// REST at the door.
extension PageDoor {
  /// How long a call may take: decoding a file takes 20 s of processor at most, and one waits for another.
  private static let callTime = Duration.seconds(100)

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let request = PageRequest(head: head, address: address)
    guard let rest, let desk = rest.rest, RestRoute.owns(request.path) else { return }
    guard rate.take() else {
      return refuse(.fault(RestFault(.tooMany, "too many requests")), context)
    }
    let door = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let exchange = RestExchange(desk, rest.gate, context) { answer in
      let (door, context) = door.value
      door.finish(answer, context)
    }
    self.exchange = exchange
    let host = rest.router.permittedHost(request)
    let viewer = host.flatMap { rest.router.session(request, $0) }
    guard let bytes = exchange.begin(request, host, viewer) else { return }
    // Chunks of the transfer coding have lengths before them (RFC 9112 §7.1).
    limit.allow(bytes + bytes / 4)
    let seconds = Double(bytes) / Double(RestExchange.leastBytesPerSecond)
    renewDeadline(context, more: Self.callTime + .seconds(seconds))
    if head.headers.first(name: "Expect")?.lowercased() == "100-continue" {
      let answer = HTTPResponseHead(version: .http1_1, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(answer)), promise: nil)
    }
  }

  private func leaveExchange() {
    exchange?.leave()
    exchange = nil
  }

  private func finish(_ answer: PageAnswer, _ context: ChannelHandlerContext) {
    guard let last = exchange else { return }
    exchange = nil
    guard context.channel.isActive else { return }
    let seconds = Double(answer.body.readableBytes) / Double(RestExchange.leastBytesPerSecond)
    renewDeadline(context, more: .seconds(seconds))
    guard last.hasEnded else { return refuse(answer, context) }
    write(answer.fromRest, context)
  }

  /// Before the end of a request: the rest of it is not looked at, and the answer is to arrive all the same.
  private func refuse(_ answer: PageAnswer, _ context: ChannelHandlerContext) {
    write(answer.fromRest, context, isEarly: true)
    limit.ignoreRest()
    let channel = context.channel
    deadline?.cancel()
    deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.farewellTime)) {
      channel.close(promise: nil)
    }
  }
}
