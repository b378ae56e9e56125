import Glibc
import Mesh
import NIOCore
import NIOPosix
import Testing

@testable import ControlPlane

/// Segments that get through any way that takes 1280 octets, whichever end has another idea.
@Suite struct SegmentTests {
  /// What TCP puts into a segment of this socket's, options of its header left out.
  private func segmentBytes(of channel: any Channel) async throws -> Int {
    try await channel.getOption(SocketOptions.segment).map { Int($0) }.get()
  }

  @Test func `whoever calls sends short segments, as it is told so by who listens`() async throws {
    let one = try Station()
    try await withStations(one) {
      let stranger = try await Stranger(one.plane.localAddress, .plain)
      #expect(try await segmentBytes(of: stranger.channel) <= 1200)
    }
  }

  @Test func `whoever is called sends short segments, as it is told so by who dials`() async throws
  {
    let one = try Station()
    let (accepted, continuation) = AsyncStream.makeStream(of: Int.self)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.getOption(SocketOptions.segment).map { _ = continuation.yield(Int($0)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    try await withStations(one) {
      _ = one.dial(try #require(NodeAddress(listener.localAddress)))
      for await octets in accepted {
        #expect(octets <= 1200)
        break
      }
    }
    try await listener.close()
  }
}
