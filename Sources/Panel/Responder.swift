internal import NIOCore
internal import NIOHTTP1
internal import ServiceLoop

/// Answers the one request of a connection, then closes it.
///
/// States: waiting for the request's end → answering → closed. A connection that takes too long altogether is closed in
/// any of them, so that neither a request that trickles in nor an answer that nobody reads keeps a place.
final class Responder: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// The text format of Prometheus, version 0.0.4.
  private static let metricsType = "text/plain; version=0.0.4; charset=utf-8"

  private let cache: MetricsCache
  private let gate: LoopGate
  private let connectionTime: Duration
  private let place: Places.Place
  private var head: HTTPRequestHead?
  private var isAnswering = false
  private var deadline: Scheduled<Void>?

  init(cache: MetricsCache, gate: LoopGate, connectionTime: Duration, place: Places.Place) {
    self.cache = cache
    self.gate = gate
    self.connectionTime = connectionTime
    self.place = place
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: TimeAmount(connectionTime)) {
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isAnswering else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: send(.payloadTooLarge, "requests must have no content\n", context)
    case .end: if let head { answer(head, context) }
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    guard head.method == .GET || head.method == .HEAD else {
      return send(.methodNotAllowed, "only GET and HEAD\n", context, more: [("Allow", "GET, HEAD")])
    }
    guard head.uri.prefix(while: { $0 != "?" }) == "/metrics" else {
      return send(.notFound, "only /metrics exists\n", context)
    }
    isAnswering = true
    let (cache, place, gate) = (cache, place, gate)
    let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let isWhole = head.method == .GET
    Task {
      // The place is kept until the node has answered, even where the connection ends before:
      // a node that hangs is not asked again and again.
      defer { withExtendedLifetime(place) {} }
      let text = await cache.text()
      gate.run {
        let (responder, context) = connection.value
        responder.send(figures: text, isWhole: isWhole, context)
      }
    }
  }

  private func send(figures text: String?, isWhole: Bool, _ context: ChannelHandlerContext) {
    guard let text else {
      return send(.serviceUnavailable, "the node is not running\n", context)
    }
    send(.ok, text, context, type: Self.metricsType, isWhole: isWhole)
  }

  private func send(
    _ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext,
    type: String = "text/plain; charset=utf-8", more: [(String, String)] = [], isWhole: Bool = true
  ) {
    isAnswering = true
    let body = ByteBuffer(string: text)
    let headers = HTTPHeaders(
      [
        ("Content-Type", type), ("Content-Length", "\(body.readableBytes)"),
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ("Connection", "close"),
      ] + more)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if isWhole { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      channel.close(promise: nil)
    }
  }
}
