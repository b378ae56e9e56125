import Cryptography
import Mesh
import NIOCore
import NIOPosix
import NIOSSL

@testable import ControlPlane

/// The other end of a connection, which does what a test wants rather than what is right.
final class Stranger: Sendable {
  /// How it speaks TLS.
  struct Manners {
    var certificate: [NIOSSLCertificateSource] = []
    var key: NIOSSLPrivateKeySource?
    var maximumVersion = TLSVersion.tlsv13
    var purposes = ["comlink/1"]
    var algorithms: [SignatureAlgorithm]?

    /// None at all: bare TCP.
    static let plain: Manners? = nil

    /// A node's own.
    static func node(_ identity: TestIdentity) throws -> Manners {
      let certificate = try NIOSSLCertificate(
        bytes: NodeCertificate.make(for: identity), format: .der)
      return Manners(
        certificate: [.certificate(certificate)],
        key: .privateKey(NIOSSLPrivateKey(customPrivateKey: IdentityKey(identity))),
        algorithms: [.ed25519])
    }

    /// Those of a key of another kind.
    static func foreign(_ pem: (certificate: String, key: String)) throws -> Manners {
      Manners(
        certificate: [
          .certificate(try NIOSSLCertificate(bytes: Array(pem.certificate.utf8), format: .pem))
        ],
        key: .privateKey(try NIOSSLPrivateKey(bytes: Array(pem.key.utf8), format: .pem)))
    }
  }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    let continuation: AsyncStream<[UInt8]>.Continuation

    init(_ continuation: AsyncStream<[UInt8]>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }

  let channel: any Channel
  private let inbound: AsyncStream<[UInt8]>

  /// Connects.
  ///
  /// - Parameters:
  ///   - manners: nil for bare TCP.
  ///   - source: the last octet of 127.0.0.x that it comes from.
  init(
    _ address: NodeAddress, _ manners: Manners?, source: UInt8 = 1, reads: Bool = true
  ) async throws {
    let (inbound, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    self.inbound = inbound
    let context = try manners.map { manners in
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      configuration.maximumTLSVersion = manners.maximumVersion
      configuration.certificateChain = manners.certificate
      configuration.privateKey = manners.key
      configuration.signingSignatureAlgorithms = manners.algorithms
      configuration.verifySignatureAlgorithms = [.ed25519, .ecdsaSecp256R1Sha256]
      configuration.certificateVerification = .noHostnameVerification
      configuration.trustRoots = .certificates([])
      configuration.applicationProtocols = manners.purposes
      return try NIOSSLContext(configuration: configuration)
    }
    var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: reads)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(
              try NIOSSLClientHandler(
                context: context, serverHostname: nil,
                customVerificationCallback: { $1.succeed(.certificateVerified) }))
          }
          try channel.pipeline.syncOperations.addHandler(Collector(continuation))
        }
      }
    if source != 1 {
      bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: "127.0.0.\(source)", port: 0))
    }
    guard let target = address.socketAddress else { throw NothingCame(description: "no address") }
    channel = try await bootstrap.connect(to: target).get()
  }

  func send(_ octets: [UInt8]) {
    channel.writeAndFlush(ByteBuffer(bytes: octets), promise: nil)
  }

  func send(_ message: Message) { send(message.frame()) }

  /// Messages that come, until the end.
  func messages() -> AsyncStream<Message> {
    let inbound = inbound
    let (stream, continuation) = AsyncStream.makeStream(of: Message.self)
    Task {
      var decoder = MessageDecoder(limits: .member)
      for await octets in inbound {
        try? decoder.receive(octets, nowNanoseconds: 0) { message in
          continuation.yield(message)
          return true
        }
      }
      continuation.finish()
    }
    return stream
  }

  /// Proves no group, as it must before anything else.
  func proveNothing() {
    send(.challenge(Challenge(nonce: Array(repeating: 7, count: 32))))
    send(.groupProof(GroupProof()))
  }

  /// Waits for the other end to close.
  func ended() async throws { try await channel.closeFuture.get() }

  func close() { channel.close(promise: nil) }
}

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
