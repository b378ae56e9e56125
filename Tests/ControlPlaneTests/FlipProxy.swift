import Mesh
import NIOCore
import NIOPosix
import Synchronization

@testable import ControlPlane

/// Stands between two ends of TCP and flips one bit of what the dialling end sends.
final class FlipProxy: Sendable {
  private final class Pipe: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    let other: any Channel
    private var flipAt: Int?

    init(to other: any Channel, flipAt: Int?) {
      self.other = other
      self.flipAt = flipAt
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var octets = Array(unwrapInboundIn(data).readableBytesView)
      if let at = flipAt {
        if at < octets.count { octets[at] ^= 0x10 }
        flipAt = at < octets.count ? nil : at - octets.count
      }
      other.writeAndFlush(ByteBuffer(bytes: octets), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }

  private let listener: any Channel

  /// Listens for ends that want to go to `target`.
  ///
  /// - Parameter flipAt: which octet of what goes there has a bit flipped; nil for none.
  init(to target: NodeAddress, flipAt: Int?) async throws {
    guard let target = target.socketAddress else { throw NothingCame(description: "no address") }
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { near in
        ClientBootstrap(group: near.eventLoop)
          .channelInitializer { far in
            far.pipeline.addHandler(Pipe(to: near, flipAt: nil))
          }
          .connect(to: target)
          .flatMap { far in
            near.pipeline.addHandler(Pipe(to: far, flipAt: flipAt)).flatMap {
              near.setOption(.autoRead, value: true)
            }
          }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var address: NodeAddress { NodeAddress(listener.localAddress) ?? Station.loopback }

  func close() { listener.close(promise: nil) }
}
