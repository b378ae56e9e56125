public import ControlSocket
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import NIOWebSocket
internal import ServiceLoop

/// A node's page: by HTTPS the page itself and its WebSockets, by HTTP the way to trust it.
///
/// It runs on one thread of its own and can never hold up anybody else; requests are carried out on Swift's ordinary
/// pool, one at a time per page. What others can cost is bounded by ``PageLimits``.
public final class Page: Sendable {
  /// Where it listens.
  public struct Place: Sendable {
    /// An address of this machine, or a name for one.
    public var host: String
    /// 0: any that is free.
    public var port: Int

    /// A place to listen at.
    public init(host: String, port: Int) { (self.host, self.port) = (host, port) }
  }

  private let threads: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let trustListener: (any Channel)?
  private let service: PageService
  private let room: NIOLoopBoundBox<ViewerRoom>
  private let guestRoom: NIOLoopBoundBox<GuestRoom>
  /// Why phones cannot be handed the authority; nil: they can, or it was not asked for.
  public let trustProblem: PanelError?

  /// Listens.
  ///
  /// - Parameters:
  ///   - trust: where the authority is handed over; nil: nowhere.
  ///   - nodeName: for people.
  ///   - access: who may use it.
  ///   - handler: carries out what is asked for.
  ///   - guests: gives browsers that talk their places; nil: none do.
  ///   - rest: answers REST; nil: there is none.
  public init(
    at place: Place, trustAt trust: Place?, identity: PageIdentity, nodeName: String,
    access: PageAccess, limits: PageLimits = PageLimits(), handler: any ControlHandler,
    guests: (any GuestHost)? = nil, rest: RestDesk? = nil
  ) async throws(PanelError) {
    let shown = try PageService.Shown(identity)
    threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = threads.next()
    service = PageService(
      access, handler, guests, rest, limits, shown, nodeName: nodeName, gate: LoopGate(loop))
    let changes = ChangesFeed.Source(
      gate: service.gate, pictures: { handler.pictures() }, pack: Viewer.message)
    room = NIOLoopBoundBox.makeBoxSendingValue(
      ViewerRoom(ChangesFeed(changes)), eventLoop: loop)
    guestRoom = NIOLoopBoundBox.makeBoxSendingValue(
      GuestRoom(service, on: loop), eventLoop: loop)
    let pipelines = PagePipelines(service: service, room: room, guestRoom: guestRoom)
    do throws(PanelError) {
      listener = try await pipelines.listen(at: place, on: threads, pipelines.addPage)
    } catch {
      try? await threads.shutdownGracefully()
      throw error
    }
    let port = listener.localAddress?.port ?? place.port
    var trusting: (any Channel)?
    var problem: PanelError?
    if let trust {
      do throws(PanelError) {
        trusting = try await pipelines.listen(at: trust, on: threads) {
          try pipelines.addTrust(to: $0, pagePort: port)
        }
      } catch {
        problem = error
      }
    }
    (trustListener, trustProblem) = (trusting, problem)
    let (gate, room, guestRoom) = (service.gate, room, guestRoom)
    access.onRevoke { ids in
      gate.run {
        room.value.revoke(ids)
        guestRoom.value.revoke(ids)
      }
    }
  }

  /// The port of the page.
  public var port: Int { listener.localAddress?.port ?? 0 }

  /// Where the authority is handed over; nil: nowhere.
  public var trustPort: Int? { trustListener?.localAddress?.port }

  /// New connections are shown this: the node's names, addresses or groups changed.
  ///
  /// Any thread.
  public func show(_ identity: PageIdentity) throws(PanelError) {
    service.show(try PageService.Shown(identity))
  }

  /// Closes all pages and connections and ends the thread; once.
  public func stop() async {
    service.access.onRevoke(nil)
    try? await listener.close()
    try? await trustListener?.close()
    let (room, guestRoom) = (room, guestRoom)
    service.gate.run {
      guestRoom.value.close()
      room.value.close()
    }
    _ = service.gate.shut()
    try? await threads.shutdownGracefully()
  }
}

/// What the connections of a ``Page`` pass through.
struct PagePipelines: Sendable {
  private static let backlog: Int32 = 64

  let service: PageService
  let room: NIOLoopBoundBox<ViewerRoom>
  let guestRoom: NIOLoopBoundBox<GuestRoom>

  /// Listens; whoever connects passes through what `add` adds.
  func listen(
    at place: Page.Place, on threads: MultiThreadedEventLoopGroup,
    _ add: @escaping @Sendable (any Channel) throws -> Void
  ) async throws(PanelError) -> any Channel {
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try add(channel) }
      }
    do {
      return try await bootstrap.bind(host: place.host, port: place.port).get()
    } catch {
      throw Panel.words(error, host: place.host, port: place.port)
    }
  }

  /// TLS, HTTP, and from there to a WebSocket.
  func addPage(to channel: any Channel) throws {
    let (service, room, guestRoom) = (service, room, guestRoom)
    guard
      let (door, limit) = door(for: channel, hasRest: true, { service.router.answer($0) })
    else {
      return channel.close(promise: nil)
    }
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(NIOSSLServerHandler(context: service.shown.context))
    try pipeline.addHandler(limit)
    let handlers = NIOLoopBound(
      (door: door, limit: limit, admission: Admission()), eventLoop: channel.eventLoop)
    let upgrader = NIOWebSocketServerUpgrader(
      maxFrameSize: service.limits.messageBytes,
      shouldUpgrade: { channel, head in
        let headers = handlers.value.admission.take(
          PageRequest(head: head, address: Self.address(of: channel)), service)
        return channel.eventLoop.makeSucceededFuture(headers)
      },
      upgradePipelineHandler: { channel, _ in
        channel.eventLoop.makeCompletedFuture {
          let (door, limit, admission) = handlers.value
          let pipeline = channel.pipeline.syncOperations
          pipeline.removeHandler(door, promise: nil)
          pipeline.removeHandler(limit, promise: nil)
          if admission.isGuest {
            try Self.prepare(channel, for: service)
            try pipeline.addHandlers(
              Self.aggregator(service.limits.guests.messageBytes),
              try admission.guest(service, guestRoom))
          } else {
            try pipeline.addHandlers(
              Self.aggregator(service.limits.messageBytes),
              try admission.viewer(service, room))
          }
        }
      })
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: true,
      withServerUpgrade: ([upgrader], { _ in }), withErrorHandling: true)
    try pipeline.addHandler(door)
  }

  /// HTTP alone.
  func addTrust(to channel: any Channel, pagePort: Int) throws {
    let service = service
    let door = door(for: channel) { request in
      TrustRouter(identity: service.shown.identity, port: pagePort, nodeName: service.nodeName)
        .answer(request)
    }
    guard let (door, limit) = door else { return channel.close(promise: nil) }
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(limit)
    try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true)
    try pipeline.addHandler(door)
  }

  /// Nil: there is no place for it.
  private func door(
    for channel: any Channel, hasRest: Bool = false, _ answer: @escaping (PageRequest) -> PageAnswer
  ) -> (PageDoor, RequestLimit)? {
    let address = Self.address(of: channel)
    guard let place = service.connections.take(address) else { return nil }
    let limit = RequestLimit(
      bytes: service.limits.requestBytes, farewellTime: service.limits.farewellTime)
    let door = PageDoor(
      limits: service.limits, limit: limit, place: place, address: address,
      rest: hasRest ? service : nil, answer: answer)
    return (door, limit)
  }

  /// Little waits for the network on a guest's connection, neither here nor with the kernel (tcp(7)).
  private static func prepare(_ channel: any Channel, for service: PageService) throws {
    let bytes = service.limits.guests.backlogBytes
    guard let options = channel.syncOptions else { return }
    try options.setOption(
      .writeBufferWaterMark, value: .init(low: bytes / 2, high: bytes))
    try? options.setOption(
      .tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)),
      value: ChannelOptions.Types.SocketOption.Value(bytes))
  }

  private static func aggregator(_ messageBytes: Int) -> NIOWebSocketFrameAggregator {
    NIOWebSocketFrameAggregator(
      minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 16,
      maxAccumulatedFrameSize: messageBytes)
  }

  private static func address(of channel: any Channel) -> String {
    channel.remoteAddress?.ipAddress ?? ""
  }
}

/// Who is let in at one connection, from the request to the WebSocket that comes of it.
final class Admission {
  private struct Nobody: Error {}

  private var record: PageRecord?
  private var place: Places.Place?
  private(set) var isGuest = false

  /// Takes a request to open a WebSocket.
  ///
  /// - Returns: headers of the answer; nil: it is answered as a request.
  func take(_ request: PageRequest, _ service: PageService) -> HTTPHeaders? {
    isGuest = request.path == PageRouter.guestPath
    guard request.path == PageRouter.socketPath || isGuest,
      case .success(let record) = service.router.admission(request),
      let place = isGuest ? service.guestSockets.take() : service.viewers.take()
    else { return nil }
    (self.record, self.place) = (record, place)
    return [:]
  }

  /// Whoever was let in as a guest.
  func guest(_ service: PageService, _ room: NIOLoopBoundBox<GuestRoom>) throws -> GuestSocket {
    guard let record, let place else { throw Nobody() }
    return GuestSocket(record, service, room.value, place: place)
  }

  /// Whoever was let in.
  func viewer(_ service: PageService, _ room: NIOLoopBoundBox<ViewerRoom>) throws -> Viewer {
    guard let record, let place else { throw Nobody() }
    return Viewer(record, service, room.value, place: place)
  }
}
