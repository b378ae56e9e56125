internal import NIOCore
internal import NIOPosix
internal import ServiceLoop
public import Speech

/// The place where somebody else's assistant gets at this station's microphone and ear (Wyoming satellite).
///
/// The protocol has neither password nor encryption, so only listed machines are let in; one at a time, and the newest
/// stays: who lost its connection comes back at once. It has one thread of its own. Any thread.
public final class SatelliteServer: Sendable {
  /// Octets that a client may be behind: 4 s of the microphone.
  private static let behindBytes = 128 * 1024
  private static let backlog: Int32 = 8

  private let threads: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let gate: LoopGate
  private let seat: NIOLoopBoundBox<SatelliteConnection?>

  /// Listens.
  ///
  /// - Parameters:
  ///   - hosts: other machines than this one that are let in, by address.
  ///   - name: what the satellite is called.
  ///   - refused: told of a machine that is not, by its address.
  ///   - serve: has a client, on the server's thread; must not wait.
  /// - Throws: what the system says.
  public init(
    host: String, port: Int, allowing hosts: [String], name: String, version: String,
    refused: @escaping @Sendable (_ address: String) -> Void,
    serve: @escaping @Sendable (SatelliteLine) -> Void
  ) async throws {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = threads.next()
    let (gate, seat) = (
      LoopGate(loop),
      NIOLoopBoundBox<SatelliteConnection?>.makeBoxSendingValue(nil, eventLoop: loop)
    )
    let water = ChannelOptions.Types.WriteBufferWaterMark(
      low: Self.behindBytes / 2, high: Self.behindBytes)
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.socketOption(.so_keepalive), value: 1)
      .childChannelOption(.writeBufferWaterMark, value: water)
      .childChannelInitializer { channel in
        let address = channel.remoteAddress?.ipAddress ?? ""
        guard Self.isAllowed(address, beside: hosts) else {
          refused(address)
          return channel.close()
        }
        return channel.eventLoop.makeCompletedFuture {
          let box = SpeechMailbox<SatelliteOrder>()
          let connection = SatelliteConnection(SatelliteSession(name: name, version: version), box)
          seat.value?.end()
          seat.value = connection
          try channel.pipeline.syncOperations.addHandler(connection)
          let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
          serve(
            SatelliteLine(address: address, box) { wish in
              gate.run { bound.value.follow(wish) }
            })
        }
      }
    do {
      listener = try await bootstrap.bind(host: host, port: port).get()
    } catch {
      try? await threads.shutdownGracefully()
      throw error
    }
    (self.threads, self.gate, self.seat) = (threads, gate, seat)
  }

  /// The port that it listens on.
  public var port: Int { listener.localAddress?.port ?? 0 }

  /// Lets go of the client, and ends the thread; once.
  public func stop() async {
    try? await listener.close()
    guard gate.shut() else { return }
    let seat = seat
    try? await threads.next().submit { seat.value?.end() }.get()
    try? await threads.shutdownGracefully()
  }

  /// Whether an address is this machine's own loopback, or listed; an IPv4 address may come within IPv6.
  static func isAllowed(_ address: String, beside hosts: [String]) -> Bool {
    let mapped = "::ffff:"
    let plain =
      address.lowercased().hasPrefix(mapped)
      ? String(address.dropFirst(mapped.count)) : String(address.prefix { $0 != "%" })
    return ServiceAddress.tcp(host: plain, port: 1).isAllowed(beside: hosts)
  }
}

/// A client of a ``SatelliteServer``: its orders come out, the microphone goes in.
///
/// Any thread; one at a time waits for orders.
public final class SatelliteLine: Sendable {
  /// Where it is.
  public let address: String
  private let box: SpeechMailbox<SatelliteOrder>
  private let steer: @Sendable (SatelliteConnection.Wish) -> Void

  init(
    address: String, _ box: SpeechMailbox<SatelliteOrder>,
    steer: @escaping @Sendable (SatelliteConnection.Wish) -> Void
  ) {
    (self.address, self.box, self.steer) = (address, box, steer)
  }

  deinit { stop() }

  /// Gives the microphone's sound in ``SoundFormat/speech``; a client that is behind with it misses some.
  public func append(sound pcm: [UInt8]) { steer(.sound(pcm)) }

  /// All that it wanted heard has been.
  public func played() { steer(.played) }

  /// Ends the connection.
  public func stop() { steer(.stop) }

  /// Its orders since the last call, at least one; nil: it is gone.
  public func next() async -> [SatelliteOrder]? {
    let orders = await box.next()
    steer(.read)
    return orders
  }
}

/// The connection of one client.
///
/// On its event loop only.
final class SatelliteConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What the station has for it.
  enum Wish: Sendable {
    case sound([UInt8])
    case played
    case read
    case stop
  }

  private var session: SatelliteSession
  private let box: SpeechMailbox<SatelliteOrder>
  private var context: ChannelHandlerContext?
  private var isReading = false
  private var hasEnded = false

  init(_ session: SatelliteSession, _ box: SpeechMailbox<SatelliteOrder>) {
    (self.session, self.box) = (session, box)
  }

  /// Lets go of the client.
  func end() {
    finish()
    context?.close(promise: nil)
  }

  func follow(_ wish: Wish) {
    switch wish {
    case .sound(let pcm):
      // One that is behind would hear old sound for good.
      guard context?.channel.isWritable == true else { return }
      session.append(sound: pcm)
    case .played: session.played()
    case .read: read()
    case .stop: return end()
    }
    settle()
  }

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = false
    session.receive(Self.unwrapInboundIn(data).readableBytesView)
    if settle() { read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    finish()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func read() {
    guard let context, !isReading, !hasEnded else { return }
    isReading = true
    context.read()
  }

  /// True: the station has all orders.
  @discardableResult
  private func settle() -> Bool {
    let outgoing = session.takeOutgoing()
    if !outgoing.isEmpty, let context {
      context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: outgoing)), promise: nil)
    }
    let orders = session.takeOrders()
    let isTaken = orders.isEmpty || box.put(orders, isLast: false)
    guard session.fault == nil else {
      end()
      return false
    }
    return isTaken
  }

  private func finish() {
    guard !hasEnded else { return }
    hasEnded = true
    _ = box.put([], isLast: true)
  }
}
