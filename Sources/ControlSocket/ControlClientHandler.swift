internal import NIOCore
internal import Remote
internal import ServiceLoop
internal import StatusSchema

/// One client of the control socket, at the end of its channel's pipeline.
///
/// Lives on the server's loop.
///
/// States: *reading* (waits for a line) → *handling* (a request is with the handler; nothing is read, but what the
/// socket holds at the client's end) → *writing* (the answer has not all been taken; likewise) → reading again. After a
/// line that is too long: writing → *draining* (our side is shut, what still comes is thrown away, because closing with
/// unread bytes would take the answer from the client) → closed. The end of the client's side closes once all that it
/// sent is answered. One deadline covers each wait: it is set when the client connects, when an answer is queued and
/// when it has been taken, and never by mere bytes, so that sending slowly wins no time.
///
/// A client that subscribed goes on as before; besides, while no answer is being written, it gets the node's changes,
/// and nobody takes it for idle who reads them. The end of its side does not end them.
final class ControlClientHandler: ChannelInboundHandler, ChangesReader {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// How soon a subscriber that has not read the last line yet is looked at again.
  private static let offerInterval = TimeAmount.milliseconds(20)

  private enum State {
    case reading, handling, writing, draining
  }

  private let shared: ControlService
  private let feed: ChangesFeed
  /// Nil: there was none; the client is told so and let go of.
  private var place: Places.Place?
  private var state = State.reading
  private var input: LineBuffer
  /// The answer under way is the last.
  private var isLast = false
  /// The client sends no more.
  private var hasEnded = false
  private var isClosed = false
  /// The request under way, where it ends with its client.
  private var task: Task<Void, Never>?
  private var deadline: Scheduled<Void>?
  /// While it is connected.
  private var context: ChannelHandlerContext?
  private var subscriber: Subscriber?
  /// Whether a look is due at whether the subscriber has read the last line.
  private var isOfferedLater = false

  init(_ shared: ControlService, _ feed: ChangesFeed, place: Places.Place?) {
    self.shared = shared
    self.feed = feed
    self.place = place
    input = LineBuffer(limitBytes: shared.limits.lineBytes)
  }

  func channelActive(context: ChannelHandlerContext) {
    guard place != nil else {
      shared.count { $0.refused += 1 }
      let message = "comlinkd already serves \(shared.limits.clients) clients; try again"
      let channel = context.channel
      renewDeadline(context)
      context.writeAndFlush(wrapOutboundOut(Self.line(.error(message: message))))
        .whenComplete { _ in channel.close(promise: nil) }
      return
    }
    shared.count { $0.clients += 1 }
    self.context = context
    renewDeadline(context)
    context.read()
  }

  func channelInactive(context: ChannelHandlerContext) {
    isClosed = true
    self.context = nil
    feed.remove(self)
    deadline?.cancel()
    task?.cancel()
    guard place != nil else { return }
    shared.count { $0.clients -= 1 }
    // A request that is with the handler keeps the place, so that the number of clients bounds that of requests, too.
    if state != .handling { place = nil }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard state != .draining, place != nil else { return }
    input.append(unwrapInboundIn(data).readableBytesView)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    guard place != nil else { return }
    if state == .draining { context.read() } else { proceed(context) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .some(.inputClosed) = event as? ChannelEvent else {
      return context.fireUserInboundEventTriggered(event)
    }
    hasEnded = true
    if state == .draining { context.close(promise: nil) } else { proceed(context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Takes the next line, if it is this client's turn, or asks for more.
  private func proceed(_ context: ChannelHandlerContext) {
    guard state == .reading, !isClosed, place != nil else { return }
    var next = input.next()
    if next == .nothing, hasEnded {
      next = input.rest()
      if next == .nothing {
        if subscriber == nil { context.close(promise: nil) }
        return
      }
    }
    switch next {
    case .line(let line): begin(line, context)
    case .tooLong:
      shared.count { $0.oversized += 1 }
      isLast = true
      answer(.error(message: "line longer than \(shared.limits.lineBytes) bytes"), context)
    case .nothing: context.read()
    }
  }

  private func begin(_ line: [UInt8], _ context: ChannelHandlerContext) {
    let request: ControlRequest
    do throws(RemoteError) {
      request = try JSONLine.decode(ControlRequest.self, from: line)
    } catch {
      shared.count { $0.malformed += 1 }
      return answer(.error(message: "not a request: \(error)"), context)
    }
    shared.count { $0.requests += 1 }
    if case .subscribe(let levels) = request {
      return answer(subscribe(levels: levels, context), context)
    }
    state = .handling
    let shared = shared
    let client = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let task = Task {
      let response = await shared.response(to: request)
      shared.gate.run {
        let (handler, context) = client.value
        handler.handled(response, context)
      }
    }
    if request.endsWithItsClient { self.task = task }
  }

  private func subscribe(
    levels: LevelForm, _ context: ChannelHandlerContext
  ) -> ControlResponse {
    if let former = subscriber {
      subscriber = Subscriber(levels: levels, insteadOf: former)
      return .ok
    }
    guard let place = shared.places.take() else {
      shared.count { $0.refused += 1 }
      return .error(
        message: "comlinkd already has \(shared.limits.subscribers) subscribers; end one of them")
    }
    let socket = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
      of: NIOBSDSocket.Handle.self
    ) { $0 }
    guard let socket, feed.add(self, on: context.eventLoop) else {
      return .error(message: "the node is starting or exiting; try again")
    }
    subscriber = Subscriber(levels: levels, socket: socket)
    self.place = place
    return .ok
  }

  /// There is a new picture of the node; a subscriber who is ready for it gets what changed.
  func offer() {
    guard let context, state == .reading || state == .handling else { return }
    let client = NIOLoopBound(self, eventLoop: context.eventLoop)
    switch subscriber?.next(of: feed) {
    case .line(let line):
      context.writeAndFlush(wrapOutboundOut(line)).whenSuccess {
        client.value.subscriber?.written()
      }
    case .later where !isOfferedLater:
      isOfferedLater = true
      context.eventLoop.scheduleTask(in: Self.offerInterval) {
        client.value.isOfferedLater = false
        client.value.offer()
      }
    default: break
    }
  }

  /// Nothing more is to be told.
  func close() { context?.close(promise: nil) }

  private func handled(_ response: ControlResponse, _ context: ChannelHandlerContext) {
    task = nil
    guard !isClosed else {
      place = nil
      return
    }
    answer(response, context)
  }

  private func answer(_ response: ControlResponse, _ context: ChannelHandlerContext) {
    state = .writing
    renewDeadline(context)
    let client = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(Self.line(response))).whenSuccess {
      let (handler, context) = client.value
      // Not at once: what many lines of one client cost comes in turns with the other clients.
      context.eventLoop.execute {
        let (handler, context) = client.value
        handler.proceed(context)
      }
      handler.answered(context)
    }
  }

  /// The client's system has taken the whole answer.
  private func answered(_ context: ChannelHandlerContext) {
    guard !isClosed else { return }
    renewDeadline(context)
    guard isLast else {
      state = .reading
      return offer()
    }
    feed.remove(self)
    subscriber = nil
    state = .draining
    guard !hasEnded else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    context.read()
  }

  private func renewDeadline(_ context: ChannelHandlerContext, since start: NIODeadline = .now()) {
    deadline?.cancel()
    let client = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let end = start + TimeAmount(shared.limits.idleTimeout)
    deadline = context.eventLoop.scheduleTask(deadline: end) {
      let (handler, context) = client.value
      handler.reachDeadline(context, setAt: start)
    }
  }

  private func reachDeadline(_ context: ChannelHandlerContext, setAt start: NIODeadline) {
    // Whose request is with the handler is not idle; the answer has a deadline of its own.
    guard state != .handling || subscriber != nil, !isClosed else { return }
    if state != .writing, let drained = subscriber?.drained, drained > start {
      return renewDeadline(context, since: drained)
    }
    shared.count { $0.timedOut += 1 }
    context.close(promise: nil)
  }

  private static func line(_ response: ControlResponse) -> ByteBuffer {
    let line: [UInt8]
    do throws(RemoteError) {
      line = try JSONLine.encode(response)
    } catch {
      line = Array(#"{"error":"the response cannot be written as JSON","ok":false}"#.utf8)
    }
    return ByteBuffer(bytes: line + [UInt8(ascii: "\n")])
  }
}
