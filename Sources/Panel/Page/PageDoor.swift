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
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []
  private var isClosing = false
  private var deadline: Scheduled<Void>?
  private var rate: RateBound

  init(
    limits: PageLimits, limit: RequestLimit, place: AddressPlaces.Place, address: String,
    answer: @escaping (PageRequest) -> PageAnswer
  ) {
    self.answer = answer
    self.limits = limits
    self.limit = limit
    self.place = place
    self.address = address
    rate = RateBound(most: limits.requestBurst, perSecond: limits.requestsPerSecond)
  }

  func handlerAdded(context: ChannelHandlerContext) { renewDeadline(context) }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
    case .body(let part):
      guard body.count + part.readableBytes <= PageRouter.bodyLimitBytes else {
        return write(
          .words(.payloadTooLarge, "the content is too long", isLast: true), context)
      }
      body += part.readableBytesView
    case .end:
      guard let head else { return }
      limit.renew()
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

  private func write(_ answer: PageAnswer, _ context: ChannelHandlerContext) {
    isClosing = answer.isLast || head?.isKeepAlive == false
    let isWhole = head?.method != .HEAD && answer.status != .notModified
    var headers = HTTPHeaders(answer.headers)
    headers.add(name: "Connection", value: isClosing ? "close" : "keep-alive")
    if answer.status != .notModified {
      headers.add(name: "Content-Length", value: "\(answer.body.readableBytes)")
    }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if isWhole { context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil) }
    let door = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      let (door, context) = door.value
      if door.isClosing { context.close(promise: nil) } else { door.renewDeadline(context) }
    }
  }

  private func renewDeadline(_ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: TimeAmount(limits.connectionTime)) {
      channel.close(promise: nil)
    }
  }
}
