internal import NIOCore

/// Passes on no more than so many bytes from a connection: whoever sends more is answered "431" and closed.
///
/// It stands before the parser, which would keep a request of any length until its end. What is under way still comes
/// and is let fall: closed at once, the connection would be reset and the answer lost. That goes on for the farewell's
/// time and no more than ``farewellRequests`` times what a request may have.
final class RequestLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let answer =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

  private static let farewellRequests = 8

  private let usualBytes: Int
  private var limitBytes: Int
  private var isDeaf = false
  private let farewellTime: TimeAmount
  private var receivedBytes = 0
  private var farewell: Scheduled<Void>?

  init(bytes: Int, farewellTime: Duration) {
    usualBytes = bytes
    limitBytes = bytes
    self.farewellTime = TimeAmount(farewellTime)
  }

  func handlerRemoved(context: ChannelHandlerContext) { farewell?.cancel() }

  /// A request was whole: the next may be as long.
  func renew() { (receivedBytes, limitBytes) = (0, usualBytes) }

  /// This request may bring so many bytes more.
  func allow(_ bytes: Int) { limitBytes = max(limitBytes, receivedBytes + bytes) }

  /// What still comes is let fall: the request was refused before its end.
  func ignoreRest() { isDeaf = true }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var part = unwrapInboundIn(data)
    // As much as may come, and then the rest: whoever reads the request's head may allow it more meanwhile.
    while !isDeaf, limitBytes > receivedBytes, part.readableBytes > 0,
      let slice = part.readSlice(length: min(part.readableBytes, limitBytes - receivedBytes))
    {
      receivedBytes += slice.readableBytes
      context.fireChannelRead(wrapInboundOut(slice))
    }
    guard !isDeaf, part.readableBytes > 0 else { return }
    receivedBytes += part.readableBytes
    if farewell == nil { refuse(context) }
    if receivedBytes > limitBytes * (1 + Self.farewellRequests) { context.close(promise: nil) }
  }

  private func refuse(_ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
    context.close(mode: .output, promise: nil)
    let channel = context.channel
    farewell = context.eventLoop.scheduleTask(in: farewellTime) { channel.close(promise: nil) }
  }
}
