internal import ControlSocket
internal import NIOCore
internal import NIOWebSocket
internal import Remote
internal import ServiceLoop

/// One of the two connections of a guest: frames of sound both ways, and what the guest's keys are.
///
/// Lives on the page's loop. First comes a text that says who it is ({"guest": ID of 16 hexadecimal digits, "hears":
/// "opus" or "pcm"}), then frames of sound as binary messages, and texts that say on which keys it talks ({"keys":
/// [NAME…], "number": grows}). The node answers with a text once the guest has its place, or says why not, and then
/// sends frames. A frame that a slow connection cannot take at once is dropped, never queued.
final class GuestSocket: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// What a browser says of itself and its keys.
  private struct Words: Decodable {
    var guest: String?
    var hears: GuestHearing?
    var keys: [String]?
    var number: Int?
  }

  let session: PageRecord
  private let shared: PageService
  private let room: GuestRoom
  private let place: Places.Place
  private var rate: RateBound
  private var stay: GuestStay?
  private var context: ChannelHandlerContext?
  private var heard = NIODeadline.now()
  private var ticker: RepeatedTask?

  init(_ session: PageRecord, _ shared: PageService, _ room: GuestRoom, place: Places.Place) {
    (self.session, self.shared, self.room, self.place) = (session, shared, room, place)
    let limits = shared.limits.guests
    rate = RateBound(most: limits.frameBurst, perSecond: limits.framesPerSecond)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    room.add(self)
    let socket = NIOLoopBound(self, eventLoop: context.eventLoop)
    let interval = TimeAmount(shared.limits.guests.pingInterval)
    ticker = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      socket.value.tick()
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { leave() }

  func channelInactive(context: ChannelHandlerContext) { leave() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    // After the end nothing counts, whoever still holds the connection open.
    guard self.context != nil else { return }
    let frame = unwrapInboundIn(data)
    // As of any page's socket (RFC 6455 §5.1, §5.2).
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return close(.protocolError)
    }
    heard = .now()
    guard rate.take() else { return close(.policyViolation) }
    switch frame.opcode {
    case .binary: stay?.seat?.take(Array(frame.unmaskedData.readableBytesView))
    case .text: take(Array(frame.unmaskedData.readableBytesView))
    case .ping: write(.pong, frame.unmaskedData)
    case .pong: break
    case .connectionClose:
      var words = frame.unmaskedData
      let code = words.readWebSocketErrorCode() ?? .normalClosure
      if code == .normalClosure { stay?.bidFarewell() }
      close(.normalClosure)
    default: close(.unacceptableData)
    }
  }

  private func take(_ text: [UInt8]) {
    guard let words = try? JSONLine.decode(Words.self, from: text) else {
      return close(.policyViolation)
    }
    if stay == nil {
      guard let id = words.guest, let stay = room.stay(id, of: self, hearing: words.hears ?? .opus)
      else { return close(.policyViolation) }
      self.stay = stay
    }
    if let keys = words.keys, keys.count <= shared.limits.guests.keys {
      stay?.talk(on: keys, number: words.number ?? 0)
    }
  }

  /// Sends a frame, if the connection can take it now.
  func send(_ frame: ByteBuffer) {
    guard let context, context.channel.isWritable else {
      stay?.dropped += 1
      return
    }
    write(.binary, frame)
  }

  /// Says that the guest has its place, or why not; then it has none.
  func tell(_ problem: String?) {
    let response = problem.map { ControlResponse.error(message: $0) } ?? .ok
    if let line = try? JSONLine.encode(response) { write(.text, ByteBuffer(bytes: line)) }
    if problem != nil { close(.goingAway) }
  }

  /// Nothing comes of a phone that lost its network; its other connection may be well.
  private func tick() {
    if heard < .now() - TimeAmount(shared.limits.guests.patience) {
      context?.close(promise: nil)
    } else {
      write(.ping, ByteBuffer())
    }
  }

  private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    // Who does not read gets no pongs: they would queue.
    guard let context, opcode == .text || context.channel.isWritable else { return }
    context.writeAndFlush(
      wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
  }

  func close(_ code: WebSocketErrorCode) {
    guard let context else { return }
    var data = ByteBuffer()
    data.write(webSocketErrorCode: code)
    let channel = context.channel
    context.writeAndFlush(
      wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
    ).whenComplete { _ in channel.close(promise: nil) }
    // It may never read that.
    context.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    leave()
  }

  private func leave() {
    guard context != nil else { return }
    context = nil
    ticker?.cancel()
    stay?.remove(self)
    stay = nil
    room.remove(self)
  }
}

/// One guest, from its first connection until none has been there for a while: what the page keeps of it.
///
/// Lives on the page's loop. States: asking (the node makes a place for it) → seated → gone. Its connections come and
/// go; while there is none it keeps its place for ``GuestLimits/absence``, with no key open; but who says goodbye goes.
final class GuestStay {
  let id: String
  private let session: PageRecord
  private let shared: PageService
  private let room: GuestRoom
  private let loop: any EventLoop
  private(set) var seat: (any GuestPlace)?
  private var sockets: [GuestSocket] = []
  private var keys: (names: [String], number: Int) = ([], -1)
  private var absence: Scheduled<Void>?
  private var isGone = false
  /// It said that it goes, and does not come back.
  private var isLeaving = false
  /// Frames that no connection could take.
  var dropped = 0

  init(
    _ id: String, _ session: PageRecord, _ shared: PageService, _ room: GuestRoom,
    hearing: GuestHearing, on loop: any EventLoop
  ) {
    (self.id, self.session, self.shared) = (id, session, shared)
    (self.room, self.loop) = (room, loop)
    ask(hearing)
  }

  private func ask(_ hearing: GuestHearing) {
    let (guests, session, gate) = (shared.guests, session, shared.gate)
    let stay = NIOLoopBound(self, eventLoop: loop)
    let guest = GuestApplication(
      name: session.name, session: session.id, page: id, hears: hearing)
    Task {
      do throws(GuestRefusal) {
        guard let guests else { throw GuestRefusal("this station takes no guests") }
        let seat = try await guests.admit(guest) { octets in
          gate.run { stay.value.deliver(octets) }
        }
        gate.run {
          stay.value.take(seat)
        } orElse: {
          Task { await seat.leave() }
        }
      } catch {
        gate.run { stay.value.end(error.words) }
      }
    }
  }

  private func take(_ seat: any GuestPlace) {
    guard !isGone else {
      Task { await seat.leave() }
      return
    }
    self.seat = seat
    for socket in sockets { socket.tell(nil) }
    seat.talk(on: keys.names)
  }

  /// One more connection of it.
  func add(_ socket: GuestSocket) {
    absence?.cancel()
    absence = nil
    isLeaving = false
    sockets.append(socket)
    if seat != nil { socket.tell(nil) }
  }

  /// A page that is closed or loaded anew says another word (RFC 6455 §7.4.1: 1001), and may come back.
  func bidFarewell() { isLeaving = true }

  /// One less; without any its keys are released at once.
  func remove(_ socket: GuestSocket) {
    sockets.removeAll { $0 === socket }
    guard sockets.isEmpty, !isGone else { return }
    guard !isLeaving else { return end(nil) }
    keys = ([], -1)
    seat?.talk(on: [])
    let stay = NIOLoopBound(self, eventLoop: loop)
    absence = loop.scheduleTask(in: TimeAmount(shared.limits.guests.absence)) {
      stay.value.end(nil)
    }
  }

  /// Whether it is of one of these sessions.
  func isOf(_ ids: [String]) -> Bool { ids.contains(session.id) }

  /// How many connections it has.
  var socketCount: Int { sockets.count }

  /// It talks on these keys from now on; what was said before that comes by the slower connection counts no more.
  func talk(on names: [String], number: Int) {
    guard number > keys.number else { return }
    keys = (names, number)
    seat?.talk(on: names)
  }

  private func deliver(_ octets: [UInt8]) {
    let frame = ByteBuffer(bytes: octets)
    for socket in sockets { socket.send(frame) }
  }

  /// Puts it out, with words or without.
  func end(_ words: String?) {
    guard !isGone else { return }
    isGone = true
    absence?.cancel()
    room.remove(self)
    for socket in sockets {
      if let words { socket.tell(words) } else { socket.close(.goingAway) }
    }
    guard let seat else { return }
    Task { await seat.leave() }
  }
}

/// The guests of a page.
///
/// Lives on the page's loop.
final class GuestRoom {
  private static let idCharacters = 16

  private let shared: PageService
  private let loop: any EventLoop
  private var sockets: [ObjectIdentifier: GuestSocket] = [:]
  private var stays: [String: GuestStay] = [:]

  init(_ shared: PageService, on loop: any EventLoop) { (self.shared, self.loop) = (shared, loop) }

  func add(_ socket: GuestSocket) { sockets[ObjectIdentifier(socket)] = socket }

  func remove(_ socket: GuestSocket) { sockets[ObjectIdentifier(socket)] = nil }

  func remove(_ stay: GuestStay) {
    if stays[stay.id] === stay { stays[stay.id] = nil }
  }

  /// The guest that a connection is of, a new one where there is none; nil: that may not be.
  func stay(_ id: String, of socket: GuestSocket, hearing: GuestHearing) -> GuestStay? {
    guard id.utf8.count == Self.idCharacters, id.utf8.allSatisfy(Self.isDigit) else { return nil }
    if let known = stays[id] {
      guard known.isOf([socket.session.id]), known.socketCount < shared.limits.guests.sockets else {
        return nil
      }
      known.add(socket)
      return known
    }
    let stay = GuestStay(id, socket.session, shared, self, hearing: hearing, on: loop)
    stays[id] = stay
    stay.add(socket)
    return stay
  }

  /// Puts the guests of sessions out.
  func revoke(_ ids: [String]) {
    for socket in sockets.values where ids.contains(socket.session.id) {
      socket.close(.policyViolation)
    }
    for stay in stays.values where stay.isOf(ids) { stay.end(nil) }
  }

  /// Puts all out.
  func close() {
    for stay in stays.values { stay.end(nil) }
    for socket in sockets.values { socket.close(.goingAway) }
  }

  private static func isDigit(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
