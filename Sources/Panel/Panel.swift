internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import ServiceLoop
public import StatusSchema
internal import System

/// Shows a node by HTTP: `/metrics`, its figures for Prometheus.
///
/// Whoever reaches it may read: it asks nobody who they are, tells no secrets, and changes nothing. It runs on one
/// thread of its own; what others can cost is bounded by ``PanelLimits``.
/// The node is asked at most once in ``PanelLimits/freshness``, however many ask here.
public final class Panel: Sendable {
  private static let backlog: Int32 = 16

  private let threads: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let gate: LoopGate

  /// Listens.
  ///
  /// - Parameters:
  ///   - host: an address of this machine, or a name for one.
  ///   - port: 0: any that is free.
  ///   - status: asks the node for its figures; nil while it has none.
  public init(
    host: String, port: Int, limits: PanelLimits = PanelLimits(),
    status: @escaping @Sendable () async -> Status?
  ) async throws(PanelError) {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let cache = MetricsCache(freshness: limits.freshness) {
      await status().map { MetricsText.text(StatusMetrics.families($0)) }
    }
    let (places, gate) = (Places(limits.connections), LoopGate(threads.next()))
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        guard let place = places.take() else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(
            RequestLimit(bytes: limits.requestBytes, farewellTime: limits.farewellTime))
          try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
          try pipeline.addHandler(
            Responder(
              cache: cache, gate: gate, connectionTime: limits.connectionTime, place: place))
        }
      }
    do {
      listener = try await bootstrap.bind(host: host, port: port).get()
      self.threads = threads
      self.gate = gate
    } catch {
      try? await threads.shutdownGracefully()
      throw Self.words(error, host: host, port: port)
    }
  }

  /// The port it listens on.
  public var port: Int { listener.localAddress?.port ?? 0 }

  /// Closes all connections and ends the thread; once.
  ///
  /// It does not wait for a node that is being asked.
  public func stop() async {
    try? await listener.close()
    _ = gate.shut()
    try? await threads.shutdownGracefully()
  }

  /// Why nobody can listen there.
  static func words(_ error: any Error, host: String, port: Int) -> PanelError {
    let address = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    guard let error = error as? IOError else {
      return .listening(address: address, words: "\(error)")
    }
    if error.errnoCode == EADDRINUSE { return .addressInUse(address: address) }
    return .listening(address: address, words: errorWords(error.errnoCode))
  }
}

/// Why a ``Panel`` cannot listen.
public enum PanelError: Error, Hashable, Sendable {
  /// Another program listens there.
  case addressInUse(address: String)
  /// Nobody can listen there, and why, in words.
  case listening(address: String, words: String)
  /// Browsers cannot be shown who the page is, and why, in words.
  case certificate(words: String)
}

extension PanelError: CustomStringConvertible {
  /// What was tried and why it failed, in words for a person.
  public var description: String {
    switch self {
    case .addressInUse(let address):
      "TCP \(address) is in use by another program (`ss -ltnp` shows which): stop it or choose another port"
    case .listening(let address, let words): "cannot listen on TCP \(address): \(words)"
    case .certificate(let words): words
    }
  }
}

/// What others may take of a ``Panel``.
public struct PanelLimits: Sendable {
  /// Connections at a time; further ones are closed unanswered.
  public var connections = 8
  /// The most that is read of a request, bytes.
  public var requestBytes = 8192
  /// How long a connection may last in all, from its first byte to the last of the answer.
  public var connectionTime = Duration.seconds(5)
  /// How long a connection that was refused for its length is still listened to, so that the refusal arrives.
  public var farewellTime = Duration.milliseconds(500)
  /// How old figures may be that are told again without asking the node.
  public var freshness = Duration.seconds(1)

  /// Limits for a scraper or two.
  public init() {}
}
