public import Cryptography
internal import Glibc
public import Mesh
internal import NIOCore
internal import NIOPosix
internal import ServiceLoop
internal import Synchronization

/// The control connections of a node: TCP with TLS 1.3, both ends proved, their groups proved,
/// messages cut and bounded.
///
/// It does what ``MeshAction`` wants done with connections, and tells what ``MeshEvent`` wants to know of them. Runs on
/// one thread of its own; everything that is not `async` returns at once and may be called on any thread, in the order
/// in which it is to happen. ``stop()`` must be called, also when ``start()`` was not.
///
/// **What others can cost.** 64 connections that proved nothing, 8 of one address, 5 s each; then Mesh has them, and
/// judges. 64 KiB a message before ``raiseLimit(of:)``, 10 MiB after it, held only as far as it came, and 32 MiB of all
/// unfinished ones; 1 MiB that waits to be read by the other end. Whatever is refused is counted by reason and told as
/// a ``ControlFault``. When the 64 places are taken, the oldest connection of the address that has most makes room:
/// whoever opens them faster than a node proves itself, from as many addresses as it likes, still keeps others out.
/// Connections that we dial are not counted, so nodes find each other that way.
public final class ControlPlane: Sendable {
  private static let backlog: Int32 = 128

  private enum Stage {
    case fresh
    case running(listener: any Channel, address: NodeAddress, telling: Task<Void, Never>)
    case stopped
  }

  private let configuration: ControlPlaneConfiguration
  private let handler: any ControlPlaneHandler
  private let threads: MultiThreadedEventLoopGroup
  private let exchange: Exchange
  private let stage = Mutex(Stage.fresh)

  /// Makes the certificate, and the thread; nothing listens yet.
  ///
  /// - Parameters:
  ///   - identity: the node's key; it signs once here, and once in each handshake.
  ///   - groups: the groups of this node at the moment, at most 64 of which count; called on the control plane's
  ///     thread, where it must not wait for anything. Whoever changes them calls ``groupsChanged()``.
  public init(
    configuration: ControlPlaneConfiguration, identity: any ControlIdentity,
    groups: @escaping @Sendable () -> [Group], handler: any ControlPlaneHandler
  ) throws(ControlPlaneError) {
    let contexts = try SecureContexts(
      identity: identity, closeNanoseconds: configuration.times.closeNanoseconds)
    self.configuration = configuration
    self.handler = handler
    threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    exchange = Exchange(
      loop: threads.next(), configuration: configuration, contexts: contexts,
      own: NodeID(of: identity.publicKey), groups: groups, events: EventQueue())
  }

  /// Where it listens; what was configured before ``start()``.
  public var localAddress: NodeAddress {
    stage.withLock { stage in
      if case .running(_, let address, _) = stage { address } else { configuration.address }
    }
  }

  /// How often what went wrong, since the start.
  public var faultCounts: [ControlFault.Reason: Int] { exchange.events.faultCounts }

  /// Listens, and begins to tell the handler; once.
  ///
  /// - Throws: `addressInUse` and `listening` name the address; then it may be tried again.
  public func start() async throws(ControlPlaneError) {
    let listener = try await listen()
    let address = NodeAddress(listener.localAddress) ?? configuration.address
    let (events, handler) = (exchange.events, handler)
    let isStarted = stage.withLock { stage in
      guard case .fresh = stage else { return false }
      let telling = Task { await events.run(handler) }
      stage = .running(listener: listener, address: address, telling: telling)
      return true
    }
    guard isStarted else {
      try? await listener.close()
      throw .stopped
    }
  }

  private func listen() async throws(ControlPlaneError) -> any Channel {
    do {
      return try await bind(configuration.address)
    } catch {
      let isNowhere = error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL
      guard configuration.address.host == .ipv6(0, 0), isNowhere else { throw words(error) }
    }
    do {
      return try await bind(NodeAddress(.ipv4(0), port: configuration.address.port))
    } catch {
      throw words(error)
    }
  }

  private func words(_ error: IOError) -> ControlPlaneError {
    let address = configuration.address.text
    return error.errnoCode == EADDRINUSE
      ? .addressInUse(address: address)
      : .listening(address: address, words: SystemWords.of(error))
  }

  private func bind(_ address: NodeAddress) async throws(IOError) -> any Channel {
    guard let target = address.socketAddress else {
      throw IOError(errnoCode: EADDRNOTAVAIL, reason: "bind")
    }
    let (exchange, configuration) = (exchange, configuration)
    var bootstrap = ServerBootstrap(group: exchange.loop)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(SocketOptions.segment, value: .init(SocketOptions.segmentBytes))
      .childChannelInitializer { channel in
        do {
          try SocketOptions.apply(configuration, to: channel)
        } catch {
          return channel.eventLoop.makeFailedFuture(error)
        }
        return exchange.accept(channel)
      }
    if case .ipv6 = address.host {
      let isAll = address.host == .ipv6(0, 0)
      bootstrap = bootstrap.serverChannelOption(
        ChannelOptions.Types.SocketOption(level: .ipv6, name: .ipv6_v6only),
        value: isAll ? 0 : 1)
    }
    do {
      return try await bootstrap.bind(to: target).get()
    } catch let error as IOError {
      throw error
    } catch {
      throw IOError(errnoCode: EINVAL, reason: "bind: \(error)")
    }
  }

  /// Opens a connection; `securing` and `dialled`, or `failed`, answer.
  public func dial(_ attempt: AttemptID, _ address: NodeAddress) {
    let exchange = exchange
    exchange.gate.run { exchange.dial(attempt, address) }
  }

  /// Gives an attempt up; nothing answers, unless `dialled` is on its way already.
  public func abandon(_ attempt: AttemptID) {
    let exchange = exchange
    exchange.gate.run { exchange.abandon(attempt) }
  }

  /// Sends a message; where the connection is over, nothing happens.
  public func send(_ message: Message, on connection: ConnectionID) {
    let exchange = exchange
    exchange.gate.run { exchange.connections[connection]?.write(message) }
  }

  /// Sends what is under way, within 2 s, and closes; nothing more is told of it but a message that is being handled.
  public func close(_ connection: ConnectionID) {
    let exchange = exchange
    exchange.gate.run { exchange.connections[connection]?.close() }
  }

  /// The other end was admitted, and this is the connection in use: its messages may be as long as a member's, and the
  /// application lane goes on here.
  public func raiseLimit(of connection: ConnectionID) {
    let exchange = exchange
    exchange.gate.run { exchange.raise(connection) }
  }

  /// A node is a member no more, and does not come back by itself: what is under way to it on the application lane is
  /// given up.
  public func endLane(of node: NodeID) {
    let exchange = exchange
    exchange.gate.run { exchange.lanes.end(node) }
  }

  /// The application lanes to all members.
  public var lane: ControlLane { ControlLane(exchange) }

  /// Proves our groups as they are now, judges all connections anew, and tells which of them prove one.
  public func groupsChanged() {
    let exchange = exchange
    exchange.gate.run { exchange.groupsChanged() }
  }

  /// Tells which connections have an address of their own that no interface has any more;
  /// to be called when addresses changed.
  public func networkChanged() {
    let exchange = exchange
    exchange.gate.run { exchange.tellUprooted() }
  }

  /// Opens a connection on which to pair.
  public func openPairing(
    to address: NodeAddress
  ) async throws(ControlPlaneError) -> PairingChannel {
    let exchange = exchange
    return try await withCheckedContinuation { continuation in
      exchange.gate.run {
        let connection = SecureConnection(
          .pairing { continuation.resume(returning: $0) }, remote: address, exchange: exchange)
        exchange.connect(connection, to: address)
      } orElse: {
        continuation.resume(returning: Result<PairingChannel, ControlPlaneError>.failure(.stopped))
      }
    }.get()
  }

  /// Closes everything, what is under way being sent first, and ends the thread; nothing is told after that.
  ///
  /// Not to be awaited by the handler.
  public func stop() async {
    let last = stage.withLock { stage in
      defer { stage = .stopped }
      return stage
    }
    if case .stopped = last { return }
    if case .running(let listener, _, _) = last { try? await listener.close() }
    let exchange = exchange
    try? await exchange.loop.flatSubmit { exchange.stop() }.get()
    _ = exchange.gate.shut()
    exchange.events.finish()
    if case .running(_, _, let telling) = last { await telling.value }
    try? await threads.shutdownGracefully()
  }
}

/// Who is told what happens to a ``ControlPlane``'s connections.
public protocol ControlPlaneHandler: Sendable {
  /// Takes an event of ``Mesh``: securing, dialled, failed, accepted, received, closed or groupsChanged.
  ///
  /// All of them come one after the other, each when the last returned, in the order in which they happened: a set of
  /// proving connections would be wrong at any other moment. A connection is not read on while a message of it waits
  /// for its turn, so that a flood slows down its sender. Must not wait for ``ControlPlane/stop()``.
  func handle(_ event: MeshEvent) async

  /// Takes, in the same order, why a connection or an attempt came to nothing.
  ///
  /// Strangers can cause as many as they like: to be logged once in a while for each reason. Of a flood some are left
  /// out, but ``ControlPlane/faultCounts`` has all.
  func note(_ fault: ControlFault) async

  /// Takes a connection that somebody opened in order to pair; it is closed when this returns.
  ///
  /// Beside the others, each in a task of its own.
  func pair(_ channel: PairingChannel) async
}
