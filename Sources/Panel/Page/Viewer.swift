internal import ControlSocket
internal import NIOCore
internal import NIOWebSocket
internal import Remote
internal import ServiceLoop

/// One open page: a WebSocket that speaks the lines of the control socket, a message each.
///
/// Lives on the page's loop. Requests are answered in their order, one at a time; a page that subscribed gets the
/// node's changes besides, the newest only, once its system has acknowledged what it was shown last. A page that
/// neither sends nor answers pings, or leaves unread what it was shown, is let go of. A talk key that it held is
/// released with it, and a second after nothing came of it any more.
final class Viewer: ChannelInboundHandler, ChangesReader {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// How soon a page that has not read the last change yet is looked at again.
  private static let offerInterval = TimeAmount.milliseconds(20)

  private struct Held: Decodable { var held: Bool? }

  let session: PageRecord
  private let shared: PageService
  private let room: ViewerRoom
  private let place: Places.Place
  private var rate: RateBound
  private var waiting: [[UInt8]] = []
  /// A request is with the node, or its answer has not all been taken.
  private var isBusy = false
  /// Since when an answer has not all been taken; nil: none is on its way.
  private var answering: NIODeadline?
  private var task: Task<Void, Never>?
  private var subscriber: Subscriber?
  /// Where what the encoder of frames would make goes on; while it subscribes.
  private var wire: ChannelHandlerContext?
  private var isOfferedLater = false
  private var context: ChannelHandlerContext?
  private var heard = NIODeadline.now()
  private var ticker: RepeatedTask?
  /// While a key is held down on the page.
  private var hold: Scheduled<Void>?

  init(
    _ session: PageRecord, _ shared: PageService, _ room: ViewerRoom, place: Places.Place
  ) {
    self.session = session
    self.shared = shared
    self.room = room
    self.place = place
    rate = RateBound(
      most: shared.limits.messageBurst, perSecond: shared.limits.messagesPerSecond)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    room.add(self)
    shared.access.count(1, of: session.id)
    let viewer = NIOLoopBound(self, eventLoop: context.eventLoop)
    let interval = TimeAmount(shared.limits.pingInterval)
    ticker = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      viewer.value.tick()
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { leave() }

  func channelInactive(context: ChannelHandlerContext) { leave() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    // RFC 6455 §5.1, §5.2: what a browser sends is masked, so that no proxy takes it for something else, and no
    // extension was agreed on.
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return end(.protocolError)
    }
    heard = .now()
    guard rate.take() else { return end(.policyViolation) }
    switch frame.opcode {
    case .text: take(Array(frame.unmaskedData.readableBytesView))
    case .ping: write(.pong, frame.unmaskedData)
    case .pong: break
    case .connectionClose: end(.normalClosure)
    default: end(.unacceptableData)
    }
  }

  /// Nothing more is to be told: the node ends, or somebody signed this phone out.
  func close() { end(.goingAway) }

  /// Signed out.
  func revoke() { end(.policyViolation) }

  /// There is a new picture of the node; a page that is ready for it gets what changed.
  func offer() {
    guard let context, !isBusy else { return }
    switch subscriber?.next(of: room.feed) {
    case .line(let message):
      wire?.writeAndFlush(NIOAny(message), promise: nil)
      // What the kernel does not take at once waits before a queue that is not empty, which says enough.
      subscriber?.written()
    case .later where !isOfferedLater:
      isOfferedLater = true
      let viewer = NIOLoopBound(self, eventLoop: context.eventLoop)
      context.eventLoop.scheduleTask(in: Self.offerInterval) {
        viewer.value.isOfferedLater = false
        viewer.value.offer()
      }
    default: break
    }
  }

  private func take(_ message: [UInt8]) {
    renewHold()
    guard waiting.count < shared.limits.waitingMessages else { return end(.policyViolation) }
    waiting.append(message)
    proceed()
  }

  private func proceed() {
    guard !isBusy, context != nil, !waiting.isEmpty else { return }
    let message = waiting.removeFirst()
    let request: ControlRequest
    do throws(RemoteError) {
      request = try JSONLine.decode(ControlRequest.self, from: message)
    } catch {
      return answer(.error(message: "not a request: \(error)"))
    }
    guard let rights = shared.access.rights(of: session.id) else { return revoke() }
    guard request.neededRights <= rights else {
      return answer(
        .error(
          message: "this phone may not do that: it has the right \(rights.rawValue), that needs "
            + "\(request.neededRights.rawValue); run comlink page --rights on the node"))
    }
    if case .subscribe(let levels) = request { return answer(subscribe(levels: levels)) }
    carryOut(request.held(by: "page \(session.id)", with: rights), message)
  }

  private func carryOut(_ request: ControlRequest, _ message: [UInt8]) {
    guard let context else { return }
    if case .talk(let isOn) = request {
      let isHeld = (try? JSONLine.decode(Held.self, from: message))?.held == true
      hold?.cancel()
      hold = nil
      if isOn, isHeld { startHold(context) }
    }
    isBusy = true
    let (shared, viewer) = (shared, NIOLoopBound(self, eventLoop: context.eventLoop))
    let task = Task {
      let response = await shared.handler.handle(request)
      shared.gate.run { viewer.value.answer(response) }
    }
    if request.endsWithItsClient { self.task = task }
  }

  private func subscribe(levels: LevelForm) -> ControlResponse {
    if let former = subscriber {
      subscriber = Subscriber(levels: levels, insteadOf: former)
      return .ok
    }
    guard let context, let socket = Self.socket(of: context),
      let encoder = try? context.pipeline.syncOperations.context(
        handlerType: WebSocketFrameEncoder.self),
      room.feed.add(self, on: context.eventLoop)
    else { return .error(message: "the node is starting or exiting; try again") }
    subscriber = Subscriber(levels: levels, socket: socket)
    wire = encoder
    return .ok
  }

  /// A line as a text message that is not masked (RFC 6455 §5.2): one piece, and so one record of TLS.
  static func message(_ line: [UInt8]) -> ByteBuffer {
    var message = ByteBuffer()
    message.reserveCapacity(line.count + 10)
    message.writeInteger(UInt8(0x81))
    if line.count < 126 {
      message.writeInteger(UInt8(line.count))
    } else if let count = UInt16(exactly: line.count) {
      message.writeMultipleIntegers(UInt8(126), count)
    } else {
      message.writeMultipleIntegers(UInt8(127), UInt64(line.count))
    }
    message.writeBytes(line)
    return message
  }

  private static func socket(of context: ChannelHandlerContext) -> NIOBSDSocket.Handle? {
    try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { $0 }
  }

  private func answer(_ response: ControlResponse) {
    task = nil
    guard let context else { return }
    isBusy = true
    answering = .now()
    let line =
      (try? JSONLine.encode(response))
      ?? Array(#"{"error":"the response cannot be written as JSON","ok":false}"#.utf8)
    let viewer = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    write(.text, ByteBuffer(bytes: line))?.whenSuccess {
      // Not at once: what many messages of one page cost comes in turns with the other pages.
      let (_, context) = viewer.value
      context.eventLoop.execute {
        let viewer = viewer.value.0
        viewer.isBusy = false
        viewer.answering = nil
        viewer.offer()
        viewer.proceed()
      }
    }
  }

  /// Looks whether the page is still there and reads.
  private func tick() {
    let long = NIODeadline.now() - TimeAmount(shared.limits.patience)
    let isBehind = subscriber.map { $0.drained < long && isOfferedLater } ?? false
    let isDeaf = answering.map { $0 < long } ?? false
    if heard < long || isBehind || isDeaf {
      context?.close(promise: nil)
    } else {
      write(.ping, ByteBuffer())
    }
  }

  private func startHold(_ context: ChannelHandlerContext) {
    let viewer = NIOLoopBound(self, eventLoop: context.eventLoop)
    hold = context.eventLoop.scheduleTask(in: TimeAmount(shared.limits.holdTime)) {
      viewer.value.releaseHold()
    }
  }

  private func renewHold() {
    guard hold != nil, let context else { return }
    hold?.cancel()
    startHold(context)
  }

  /// The page that held the key is gone, or as good as.
  private func releaseHold() {
    guard hold != nil else { return }
    hold?.cancel()
    hold = nil
    let shared = shared
    Task { _ = await shared.handler.handle(.talk(isOn: false)) }
  }

  @discardableResult
  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> EventLoopFuture<Void>? {
    guard let context else { return nil }
    let frame = WebSocketFrame(fin: true, opcode: opcode, data: data)
    return context.writeAndFlush(wrapOutboundOut(frame))
  }

  private func end(_ code: WebSocketErrorCode) {
    guard let context else { return }
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    let channel = context.channel
    write(.connectionClose, data)?.whenComplete { _ in channel.close(promise: nil) }
    leave()
  }

  private func leave() {
    guard context != nil else { return }
    (context, wire) = (nil, nil)
    ticker?.cancel()
    task?.cancel()
    releaseHold()
    waiting = []
    room.remove(self)
    shared.access.count(-1, of: session.id)
  }
}

/// The open pages of a node.
///
/// Lives on the page's loop.
final class ViewerRoom {
  let feed: ChangesFeed
  private var viewers: [ObjectIdentifier: Viewer] = [:]

  init(_ feed: ChangesFeed) { self.feed = feed }

  func add(_ viewer: Viewer) { viewers[ObjectIdentifier(viewer)] = viewer }

  func remove(_ viewer: Viewer) {
    feed.remove(viewer)
    viewers[ObjectIdentifier(viewer)] = nil
  }

  /// Closes the pages of sessions.
  func revoke(_ ids: [String]) {
    for viewer in viewers.values where ids.contains(viewer.session.id) { viewer.revoke() }
  }

  /// Closes all pages.
  func close() {
    for viewer in viewers.values { viewer.close() }
  }
}
