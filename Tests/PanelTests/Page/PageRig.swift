import ControlSocket
import Cryptography
import NIOCore
import NIOPosix
import NIOSSL
import Remote
import StatusSchema
import Synchronization

@testable import Panel

/// A page of a node that only writes down what is asked of it.
struct PageRig {
  /// The node behind the page.
  final class Node: ControlHandler {
    private let seen = Mutex<[ControlRequest]>([])
    private let followers = Mutex<[AsyncStream<NodePicture>.Continuation]>([])

    var requests: [ControlRequest] { seen.withLock { $0 } }

    func handle(_ request: ControlRequest) async -> ControlResponse {
      seen.withLock { $0.append(request) }
      return request == .status ? .status(Example.status) : .ok
    }

    func pictures() -> AsyncStream<NodePicture>? {
      let (stream, continuation) = AsyncStream.makeStream(
        of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
      continuation.yield(NodePicture(Example.status))
      followers.withLock { $0.append(continuation) }
      return stream
    }

    /// Tells everybody of a node that is called otherwise.
    func rename(_ name: String, number: UInt64) {
      var status = Example.status
      status.node.name = name
      let picture = NodePicture(
        StatusDocument(status, number: number), NodeLevels(status), after: nil)
      followers.withLock { for follower in $0 { follower.yield(picture) } }
    }
  }

  let page: Page
  let node: Node
  let guests = Guests()
  let access: PageAccess
  let messages = RestMessages()
  let assistant = RestTalker()
  let tokens = PageTokens()
  let authority: PageAuthority

  static func run(
    limits: PageLimits = PageLimits(), store: (any UploadStore)? = nil,
    _ body: (PageRig) async throws -> Void
  ) async throws {
    let rig = try await PageRig(limits, store)
    do { try await body(rig) } catch {
      await rig.page.stop()
      throw error
    }
    await rig.page.stop()
  }

  private init(_ limits: PageLimits, _ store: (any UploadStore)?) async throws {
    let group = try Group(
      name: "crew",
      secret: unsafe SecretBytes(copying: [UInt8](repeating: 7, count: 32).span.bytes))
    authority = try PageAuthority(key: group.pageKey(), words: group.words)
    (node, access) = (Node(), PageAccess())
    page = try await Page(
      at: Page.Place(host: "127.0.0.1", port: 0), trustAt: Page.Place(host: "127.0.0.1", port: 0),
      identity: Self.identity(authority, addresses: [[127, 0, 0, 1]]), nodeName: "<stage>",
      access: access, limits: limits, handler: node,
      guests: guests,
      rest: RestDesk(messages, tokens, assistant: assistant, directory: "/tmp", store: store))
  }

  static func identity(
    _ authority: PageAuthority, addresses: [[UInt8]]
  ) throws -> PageIdentity {
    let key = try unsafe P256Key(of: [UInt8](repeating: 9, count: 32).span.bytes, for: "node")
    let leaf = try authority.leaf(
      for: key, names: ["stage.local", "localhost"], addresses: addresses,
      unixSeconds: 1_795_000_000)
    return PageIdentity(
      certificate: .made(certificate: leaf, privateKey: key.privateKeyDER),
      authority: PageIdentity.Authority(name: authority.name, certificate: authority.certificate),
      names: ["stage.local", "localhost"])
  }

  /// As a browser that trusts the crew names the page.
  var host: String { "127.0.0.1:\(page.port)" }

  /// A connection that takes any certificate, and tells which was shown.
  func connect() async throws -> PageVisitor { try await PageVisitor(port: page.port) }

  /// The answer to one request on a connection of its own.
  func answer(
    _ method: String, _ path: String, host: String? = nil, origin: String? = nil,
    cookie: String? = nil, body: String? = nil, more: String = ""
  ) async throws -> PageVisitor.Answer {
    let visitor = try await connect()
    visitor.send(
      request(
        method, path, host: host, origin: origin, cookie: cookie, body: body, more: more))
    return try await visitor.answer()
  }

  func request(
    _ method: String, _ path: String, host: String? = nil, origin: String? = nil,
    cookie: String? = nil, body: String? = nil, more: String = ""
  ) -> String {
    var lines = "\(method) \(path) HTTP/1.1\r\nHost: \(host ?? self.host)\r\n\(more)"
    if let origin { lines += "Origin: \(origin)\r\n" }
    if let cookie { lines += "Cookie: \(cookie)\r\n" }
    if let body { lines += "Content-Length: \(body.utf8.count)\r\n" }
    return lines + "\r\n" + (body ?? "")
  }

  /// Signs in; the cookie as a browser sends it.
  func signIn(_ rights: PageRights = .operate, name: String = "Anna") async throws -> String {
    let token = try access.invite(rights: rights, name: nil).token
    let answer = try await answer(
      "POST", "/api/v1/session", origin: "https://\(host)",
      body: #"{"token":"\#(token)","name":"\#(name)"}"#)
    let header = answer.headers["set-cookie"] ?? ""
    return String(header.prefix { $0 != ";" })
  }

  static let upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

  /// An open page, or a connection of a guest.
  func open(cookie: String, at path: String = "/ws") async throws -> PageVisitor {
    let visitor = try await connect()
    visitor.send(
      request("GET", path, origin: "https://\(host)", cookie: cookie, more: Self.upgrade))
    let answer = try await visitor.answer()
    guard answer.status == 101 else { throw PageVisitor.Failure.unexpected("\(answer)") }
    return visitor
  }
}

/// A TLS connection to a page, for requests and frames as well as for what is neither.
final class PageVisitor: Sendable {
  enum Failure: Error {
    case closed
    case unexpected(String)
  }

  struct Answer {
    var status = 0
    var headers: [String: String] = [:]
    var body = ""
  }

  struct Frame: Equatable {
    var opcode: UInt8
    var payload: [UInt8]
    var text: String { String(decoding: payload, as: UTF8.self) }
  }

  private final class Collector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let octets = Mutex<(data: [UInt8], isClosed: Bool)>(([], false))
    let shown = Mutex<[UInt8]>([])

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let part = unwrapInboundIn(data)
      octets.withLock { $0.data += part.readableBytesView }
    }
    func channelInactive(context: ChannelHandlerContext) { octets.withLock { $0.isClosed = true } }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }

  let channel: any Channel
  private let collector: Collector

  init(port: Int, isSecure: Bool = true, version: TLSVersion? = nil) async throws {
    let collector = Collector()
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .noHostnameVerification
    if let version {
      (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
    }
    let context = isSecure ? try NIOSSLContext(configuration: configuration) : nil
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { [context] channel in
        channel.eventLoop.makeCompletedFuture {
          if let context {
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: context, serverHostname: nil) { chain, promise in
                collector.shown.withLock { $0 = (try? chain.first?.toDERBytes()) ?? [] }
                promise.succeed(.certificateVerified)
              })
          }
          try channel.pipeline.syncOperations.addHandler(collector)
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    self.collector = collector
  }

  deinit { channel.close(promise: nil) }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ octets: [UInt8]) {
    channel.writeAndFlush(ByteBuffer(bytes: octets), promise: nil)
  }

  /// Sends a message as browsers do: masked, with zeros.
  func say(_ text: String) { frame(0x81, Array(text.utf8)) }

  func frame(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = true) {
    let mask: UInt8 = isMasked ? 0x80 : 0
    let count = payload.count
    let length: [UInt8] =
      count < 126
      ? [mask | UInt8(count)]
      : count < 65_536
        ? [mask | 126, UInt8(count >> 8), UInt8(count & 255)]
        : [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    send([first] + length + (isMasked ? [0, 0, 0, 0] : []) + payload)
  }

  /// The certificate that the page showed, DER.
  var certificate: [UInt8] { collector.shown.withLock { $0 } }

  /// Waits until what came is enough for `take`; throws where the other end closes before.
  private func wait<Value>(_ take: (inout [UInt8]) -> Value?) async throws -> Value {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      let (value, isClosed) = collector.octets.withLock { (take(&$0.data), $0.isClosed) }
      if let value { return value }
      if isClosed { throw Failure.closed }
      try await Task.sleep(for: .milliseconds(2))
    }
    throw Failure.unexpected("nothing came within 20 s")
  }

  /// Returns once the other end has closed.
  func closing() async throws {
    do {
      let _: Bool = try await wait { octets in
        octets.removeAll()
        return nil
      }
    } catch Failure.closed {}
  }

  /// The next answer.
  func answer() async throws -> Answer {
    try await wait { octets in
      let text = Array("\r\n\r\n".utf8)
      guard let end = octets.firstRange(of: text) else { return nil }
      var answer = Answer()
      let lines = String(decoding: octets[..<end.lowerBound], as: UTF8.self)
        .split(separator: "\r\n")
      answer.status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        answer.headers[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
      }
      let count = answer.status == 304 ? 0 : Int(answer.headers["content-length"] ?? "0") ?? 0
      guard octets.count >= end.upperBound + count else { return nil }
      answer.body = String(
        decoding: octets[end.upperBound..<(end.upperBound + count)], as: UTF8.self)
      octets.removeFirst(end.upperBound + count)
      return answer
    }
  }

  /// The next frame.
  func frame() async throws -> Frame {
    try await wait { octets in
      guard octets.count >= 2 else { return nil }
      var (count, start) = (Int(octets[1] & 0x7F), 2)
      if count == 126 {
        guard octets.count >= 4 else { return nil }
        (count, start) = (Int(octets[2]) << 8 | Int(octets[3]), 4)
      } else if count == 127 {
        guard octets.count >= 10 else { return nil }
        (count, start) = (octets[2..<10].reduce(0) { $0 << 8 | Int($1) }, 10)
      }
      guard octets.count >= start + count else { return nil }
      defer { octets.removeFirst(start + count) }
      return Frame(opcode: octets[0] & 15, payload: Array(octets[start..<(start + count)]))
    }
  }

  /// The next message that is text.
  func message() async throws -> String {
    while true {
      let frame = try await frame()
      if frame.opcode == 1 { return frame.text }
      if frame.opcode == 8 { throw Failure.closed }
    }
  }

  /// The code of the frame that ends the connection.
  func closeCode() async throws -> Int {
    while true {
      let frame = try await frame()
      guard frame.opcode == 8 else { continue }
      return frame.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
