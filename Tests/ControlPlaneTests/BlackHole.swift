import Mesh
import NIOCore
import NIOPosix

@testable import ControlPlane

/// Takes connections and says nothing.
final class BlackHole: Sendable {
  private let listener: any Channel

  init() async throws {
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var address: NodeAddress { NodeAddress(listener.localAddress) ?? Station.loopback }

  func close() { listener.close(promise: nil) }
}
