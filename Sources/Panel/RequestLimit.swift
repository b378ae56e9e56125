internal import NIOCore

/// Reads no more than so many bytes from a connection: whoever sends more is answered "431" and closed.
///
/// It stands before the parser, which would keep a request of any length until its end.
final class RequestLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let answer =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

  private var bytesLeft: Int

  init(bytes: Int) { bytesLeft = bytes }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let octets = unwrapInboundIn(data)
    let wasWithin = bytesLeft >= 0
    bytesLeft -= octets.readableBytes
    guard bytesLeft < 0 else { return context.fireChannelRead(data) }
    guard wasWithin else { return }
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.answer)), promise: nil)
    // What is under way still comes and is let fall: closed at once, the connection would be reset and the answer lost.
    context.close(mode: .output, promise: nil)
  }
}
