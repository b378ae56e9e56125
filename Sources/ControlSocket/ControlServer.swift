internal import NIOCore
internal import NIOPosix
public import Remote
internal import ServiceLoop
public import StatusSchema
internal import Synchronization

/// Serves the control socket: requests of `comlink` and of anything else that speaks its lines.
///
/// It has one thread of its own, an event loop of SwiftNIO, and can never hold up anybody else; requests are handled on
/// Swift's ordinary pool. It serves from `init` until ``stop()``. What a client can do wrong (bad lines, long lines,
/// slow reading, leaving at any moment) is answered, counted and bounded by ``ControlLimits``.
public final class ControlServer: Sendable {
  /// What one read takes of a client.
  private static let readBytes = 16_384

  /// Until the server is stopped.
  private let listener: Mutex<ControlListener?>
  private let threads: MultiThreadedEventLoopGroup
  private let service: ControlService

  /// Puts the socket at `path` and starts serving.
  ///
  /// The socket gets mode 0660, its directory (made if missing) 0750. A socket that nobody answers and
  /// that belongs to this user is replaced. Throws in words for a person if another daemon answers
  /// there, something else is in the way, or the directory cannot be used or trusted.
  public init(
    path: String, handler: any ControlHandler, limits: ControlLimits = ControlLimits()
  ) throws(RemoteError) {
    let listener = try ControlListener(path: path)
    threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = threads.next()
    let service = ControlService(handler, limits, gate: LoopGate(loop))
    let places = Places(limits.clients)
    let feed = NIOLoopBoundBox.makeBoxSendingValue(ChangesFeed(service.changes), eventLoop: loop)
    _ = ServerBootstrap(group: threads)
      .serverChannelOption(.backlog, value: ControlListener.backlog)
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ControlClientHandler(service, feed.value, place: places.take()))
        }
      }
      .withBoundSocket(listener.socket)
    self.service = service
    self.listener = Mutex(listener)
  }

  deinit { stop() }

  /// What happened so far.
  ///
  /// Any thread.
  public var counters: ControlStatus { service.counters }

  /// Stops serving and removes the socket; the second call does nothing.
  ///
  /// Any thread; waits for nobody: clients are let go of, and the thread ends, a moment later. Requests that are with
  /// the handler still get done, unanswered.
  public func stop() {
    guard let listener = listener.withLock({ $0.take() }) else { return }
    listener.remove()
    _ = service.gate.shut()
    threads.shutdownGracefully { _ in }
  }
}

/// What the clients of a ``ControlServer`` share.
final class ControlService: Sendable {
  let limits: ControlLimits
  let gate: LoopGate
  /// Those of subscribers.
  let places: Places
  private let handler: any ControlHandler
  private let status = Mutex(ControlStatus())

  init(_ handler: any ControlHandler, _ limits: ControlLimits, gate: LoopGate) {
    self.handler = handler
    self.limits = limits
    self.gate = gate
    places = Places(limits.subscribers)
    status.withLock { $0.subscribers = 0 }
  }

  /// Any thread.
  var counters: ControlStatus { status.withLock { $0 } }

  /// Changes the counters; any thread.
  func count(_ change: (inout ControlStatus) -> Void) {
    status.withLock { change(&$0) }
  }

  /// What subscribers are told.
  var changes: ChangesFeed.Source {
    let handler = handler
    return ChangesFeed.Source(
      gate: gate,
      pictures: { handler.pictures() },
      figures: { [self] in counters },
      count: { [self] count in self.count { $0.subscribers = count } })
  }

  /// Has a request carried out, on the caller's executor; a status gets the counters of this socket.
  func response(to request: ControlRequest) async -> ControlResponse {
    let response = await handler.handle(request)
    guard case .status(var status) = response else { return response }
    status.control = counters
    return .status(status)
  }
}
