import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestRig

/// A phone as a node's page sees it: two WebSockets under TLS, a frame each 10 ms on both while it talks.
final class GuestPhone {
  private let line: GuestWords
  private let wires: [any Channel]
  private var number = 0

  /// Frames of the node so far, of two copies the first.
  var heard: Int { line.heard }
  /// How they came.
  var arrivals: PhoneArrivals { line.arrivals }

  /// Signs in and becomes a guest.
  ///
  /// - Parameter payload: what it says, a frame of Opus.
  init(
    at host: String = "127.0.0.1", port: Int, token: String, number: Int, says payload: [UInt8]
  ) throws {
    // Each phone has an address of its own.
    let way = (host: host, from: host == "127.0.0.1" ? "127.0.0.\(2 + number)" : "0.0.0.0")
    let cookie = try PageDoor.signIn(port, way, token: token, name: "Guest \(number)")
    let line = GuestWords()
    self.line = line
    let wires = try (0..<2).map { _ in
      try PageDoor.open("/voice", port, way, cookie: cookie, line)
    }
    self.wires = wires
    Self.speak(line, payload, on: wires, at: .now() + .milliseconds(Int64(number % 10)))
    let id = String(UInt64(number) | 1 << 60, radix: 16)
    Self.send(0x81, Array(#"{"guest":"\#(id)","hears":"opus"}"#.utf8), to: wires)
  }

  /// Opens its key, or lets go of it.
  func talk(_ isOn: Bool) {
    number += 1
    line.talk(isOn)
    let keys = isOn ? #"["all"]"# : "[]"
    Self.send(0x81, Array(#"{"keys":\#(keys),"number":\#(number)}"#.utf8), to: wires)
  }

  func close() {
    line.end()
    for wire in wires { wire.close(promise: nil) }
  }

  /// Says a frame each 10 ms by the clock, whose pace its sound has: after a late wake-up what is due goes at once.
  private static func speak(
    _ line: GuestWords, _ payload: [UInt8], on wires: [any Channel], at time: NIODeadline
  ) {
    wires[0].eventLoop.scheduleTask(deadline: time) {
      guard !line.hasEnded else { return }
      if let header = line.next() { send(0x82, header + payload, to: wires) }
      speak(line, payload, on: wires, at: time + .milliseconds(10))
    }
  }

  /// A message on both connections, masked with zeros.
  private static func send(_ first: UInt8, _ payload: [UInt8], to wires: [any Channel]) {
    let frame = PageDoor.frame(first, payload)
    for wire in wires { wire.writeAndFlush(frame, promise: nil) }
  }
}

/// Hears the messages of a page's connection, on its thread.
protocol PageHearing: Sendable {
  /// A message came: the first octet of its frame (RFC 6455 §5.2), and what it says.
  func take(_ first: UInt8, _ octets: ArraySlice<UInt8>)
}

/// A page of a node, or a phone's line to it, under TLS.
enum PageDoor {
  /// Signs in, from an address.
  ///
  /// - Returns: the cookie.
  static func signIn(
    _ port: Int, _ way: (host: String, from: String), token: String, name: String
  ) throws -> String {
    let body = #"{"token":"\#(token)","name":"\#(name)"}"#
    let (door, answer) = try ask(
      port, way,
      "POST /api/v1/session HTTP/1.1\r\n\(origin(way.host, port))"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", nil)
    door.close(promise: nil)
    guard let start = answer.range(of: "set-cookie: ", options: .caseInsensitive) else {
      throw RigError.status(reason: "no cookie: \(answer)")
    }
    return String(answer[start.upperBound...].prefix { $0 != ";" })
  }

  /// A WebSocket.
  static func open(
    _ path: String, _ port: Int, _ way: (host: String, from: String), cookie: String,
    _ ear: any PageHearing
  ) throws -> any Channel {
    try ask(
      port, way,
      "GET \(path) HTTP/1.1\r\n\(origin(way.host, port))Cookie: \(cookie)\r\n"
        + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", ear
    ).channel
  }

  /// A message, masked with zeros.
  static func frame(_ first: UInt8, _ payload: [UInt8]) -> ByteBuffer {
    let count = payload.count
    let length =
      count < 126 ? [0x80 | UInt8(count)] : [0xFE, UInt8(count >> 8), UInt8(count & 255)]
    return ByteBuffer(bytes: [first] + length + [0, 0, 0, 0] + payload)
  }

  private static func origin(_ host: String, _ port: Int) -> String {
    "Host: \(host):\(port)\r\nOrigin: https://\(host):\(port)\r\n"
  }

  /// A connection on which a request was answered; what comes after that are messages.
  private static func ask(
    _ port: Int, _ way: (host: String, from: String), _ request: String, _ ear: (any PageHearing)?
  ) throws -> (channel: any Channel, answer: String) {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    let context = try NIOSSLContext(configuration: configuration)
    let loop = MultiThreadedEventLoopGroup.singleton.any()
    let answer = loop.makePromise(of: String.self)
    let channel = try ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
        try pipeline.addHandler(PageReader(ear, answer))
      }
    }.bind(to: SocketAddress(ipAddress: way.from, port: 0))
      .connect(host: way.host, port: port).wait()
    channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
    return (channel, try answer.futureResult.wait())
  }
}

/// How a phone got the node's frames: of two copies the first.
struct PhoneArrivals {
  fileprivate var (first, last): (UInt32?, UInt32?)
  fileprivate var heard = 0
  /// Arrival less media time, nanoseconds.
  fileprivate var transits: [Int64] = []

  /// Percent of the frames that never came.
  var missing: Double {
    guard let first, let last else { return 100 }
    return 100 * (1 - Double(transits.count) / Double(last &- first &+ 1))
  }

  /// Percent that came later than the soonest by more than so many milliseconds.
  func late(byMore milliseconds: Int64) -> Double {
    guard let least = transits.min() else { return 100 }
    let late = transits.count { $0 - least > milliseconds * 1_000_000 }
    return 100 * Double(late) / Double(transits.count)
  }
}

/// What goes to and fro between a phone and its node, by both connections.
final class GuestWords: PageHearing {
  private struct State {
    var arrivals = PhoneArrivals()
    var (isTalking, hasEnded) = (false, false)
    var (sequence, timestamp): (UInt32, UInt32) = (0, 0)
  }

  private let state = Mutex(State())

  var heard: Int { state.withLock { $0.arrivals.heard } }

  var arrivals: PhoneArrivals { state.withLock { $0.arrivals } }

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func talk(_ isOn: Bool) { state.withLock { $0.isTalking = isOn } }

  func end() { state.withLock { $0.hasEnded = true } }

  /// The header of the next frame; nil: it says nothing.
  func next() -> [UInt8]? {
    state.withLock { state in
      state.timestamp &+= 480
      guard state.isTalking else { return nil }
      state.sequence &+= 1
      let numbers = [state.sequence, state.timestamp].flatMap { number in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
      }
      return [1] + numbers + [30]
    }
  }

  func take(_ first: UInt8, _ octets: ArraySlice<UInt8>) {
    let now = NIODeadline.now()
    guard first == 0x82, octets.count > 10 else { return }
    func number(_ place: Int) -> UInt32 {
      octets.dropFirst(place).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
    let (sequence, media) = (number(1), Int64(number(5)) * 1_000_000 / 48)
    state.withLock { state in
      if let last = state.arrivals.last, Int32(truncatingIfNeeded: sequence &- last) <= 0 { return }
      state.arrivals.first = state.arrivals.first ?? sequence
      state.arrivals.last = sequence
      // One octet is the notice that nobody talks.
      state.arrivals.heard += octets.count > 11 ? 1 : 0
      state.arrivals.transits.append(Int64(now.uptimeNanoseconds) - media)
    }
  }
}

/// Reads a connection: an answer, then messages; answers pings, as a browser does (RFC 6455 §5.5.2).
private final class PageReader: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let ear: (any PageHearing)?
  private var answer: EventLoopPromise<String>?
  private var octets: [UInt8] = []

  init(_ ear: (any PageHearing)?, _ answer: EventLoopPromise<String>) {
    (self.ear, self.answer) = (ear, answer)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    octets += unwrapInboundIn(data).readableBytesView
    if let answer {
      let text = String(decoding: octets, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { return }
      octets.removeFirst(text[..<end.upperBound].utf8.count)
      self.answer = nil
      answer.succeed(String(text[..<end.upperBound]))
    }
    while let (head, count) = next() {
      let payload = octets[head..<(head + count)]
      if octets[0] == 0x89 {
        context.writeAndFlush(wrapOutboundOut(PageDoor.frame(0x8A, Array(payload))), promise: nil)
      } else {
        ear?.take(octets[0], payload)
      }
      octets.removeFirst(head + count)
    }
  }

  /// Octets before the next message, and of it; nil: it is not all there.
  private func next() -> (Int, Int)? {
    guard octets.count > 1 else { return nil }
    let more = octets[1] == 126 ? 2 : octets[1] == 127 ? 8 : 0
    guard octets.count >= 2 + more else { return nil }
    let count =
      more == 0 ? Int(octets[1]) : octets[2..<(2 + more)].reduce(0) { $0 << 8 | Int($1) }
    return octets.count >= 2 + more + count ? (2 + more, count) : nil
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer?.fail(RigError.status(reason: "the page has closed a connection"))
    answer = nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer?.fail(error)
    answer = nil
    context.close(promise: nil)
  }
}
