import Mesh
import NIOCore
import NIOPosix
import Synchronization

@testable import ControlPlane

/// Stands between two ends of TCP, keeps what the dialling end sends, and flips one bit of it.
final class FlipProxy: Sendable {
  private final class Pipe: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    let other: any Channel
    private let record: @Sendable ([UInt8]) -> Void
    private var flipAt: Int?

    init(
      to other: any Channel, flipAt: Int?, record: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
      self.other = other
      self.record = record
      self.flipAt = flipAt
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var octets = Array(unwrapInboundIn(data).readableBytesView)
      record(octets)
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

  /// What the dialling ends sent, in the parts in which it came.
  private final class Recording: Sendable {
    let parts = Mutex<[[UInt8]]>([])
  }

  private let recording = Recording()
  private let listener: any Channel

  /// What the dialling ends sent so far, in the parts in which it came.
  var recorded: [[UInt8]] { recording.parts.withLock { $0 } }

  /// Listens for ends that want to go to `target`.
  ///
  /// - Parameter flipAt: which octet of what goes there has a bit flipped; nil for none.
  init(to target: NodeAddress, flipAt: Int?) async throws {
    guard let target = target.socketAddress else { throw NothingCame(description: "no address") }
    let recording = recording
    let record: @Sendable ([UInt8]) -> Void = { octets in
      recording.parts.withLock { $0.append(octets) }
    }
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { near in
        ClientBootstrap(group: near.eventLoop)
          .channelInitializer { far in
            far.pipeline.addHandler(Pipe(to: near, flipAt: nil))
          }
          .connect(to: target)
          .flatMap { far in
            near.pipeline.addHandler(Pipe(to: far, flipAt: flipAt, record: record)).flatMap {
              near.setOption(.autoRead, value: true)
            }
          }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var address: NodeAddress { NodeAddress(listener.localAddress) ?? Station.loopback }

  func close() { listener.close(promise: nil) }
}
