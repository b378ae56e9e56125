package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import System

/// One request on its way; lives on the client's loop.
final class WebAsking: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: WebRequest
  private let trust: WebTrust.Roots
  private let loop: any EventLoop
  /// Told the outcome, once.
  private var tell: ((Result<WebAnswer, WebFault>) -> Void)?
  private var channel: (any Channel)?
  private var timer: Scheduled<Void>?
  private var answer = WebAnswer(status: 0, content: [])

  init(
    _ request: WebRequest, _ trust: WebTrust.Roots, on loop: any EventLoop,
    tell: @escaping (Result<WebAnswer, WebFault>) -> Void
  ) {
    (self.request, self.trust, self.loop, self.tell) = (request, trust, loop, tell)
  }

  func connect() {
    let asking = NIOLoopBound(self, eventLoop: loop)
    let (place, trust) = (request.place, trust)
    timer = loop.scheduleTask(in: .seconds(Int64(request.seconds))) {
      asking.value.end(.failure(.late))
    }
    ClientBootstrap(group: loop)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          asking.value.channel = channel
          let pipeline = channel.pipeline.syncOperations
          if place.isSecure {
            try pipeline.addHandler(WebTrust.handler(for: place, trust))
          }
          try pipeline.addHTTPClientHandlers()
          try pipeline.addHandler(asking.value)
        }
      }
      .connect(host: place.host, port: place.port)
      .whenFailure { asking.value.end(.failure(WebFault($0))) }
  }

  private func end(_ outcome: Result<WebAnswer, WebFault>) {
    timer?.cancel()
    tell?(outcome)
    tell = nil
    channel?.close(promise: nil)
    channel = nil
  }

  private var head: HTTPRequestHead {
    var headers = HTTPHeaders([
      ("Host", request.place.authority), ("User-Agent", "comlink"), ("Connection", "close"),
    ])
    if request.method != .get, request.method != .head {
      headers.add(name: "Content-Length", value: "\(request.content.count)")
    }
    for (name, value) in request.headers { headers.replaceOrAdd(name: name, value: value) }
    return HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue),
      uri: request.place.path + request.target, headers: headers)
  }

  func channelActive(context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if !request.content.isEmpty {
      context.write(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.content)))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): answer.status = Int(head.status.code)
    case .body(let body):
      guard answer.content.count + body.readableBytes <= request.answerBytes else {
        return end(.failure(.tooLong))
      }
      answer.content += body.readableBytesView
    case .end: end(.success(answer))
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    end(.failure(WebFault(error)))
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { end(.failure(.cut)) }
}

/// How a service proves who it is.
package enum WebTrust {
  /// Who is believed.
  enum Roots: Sendable {
    case system
    case anchors([TrustAnchor])

    /// Those that may speak for a place.
    func roots(for place: WebPlace) throws -> NIOSSLTrustRoots {
      guard case .anchors(let anchors) = self else { return .default }
      let address = WebTrust.address(of: place).flatMap(WebTrust.octets)
      return .certificates(
        try anchors.filter { anchor in
          address.map(anchor.speaks(forAddress:)) ?? anchor.speaks(forName: place.host)
        }.map { try NIOSSLCertificate(bytes: $0.certificate, format: .der) })
    }
  }

  /// The TLS of a connection to a place.
  package static func handler(for place: WebPlace) throws -> any ChannelHandler {
    try handler(for: place, .system)
  }

  static func handler(
    for place: WebPlace, _ roots: Roots
  ) throws -> NIOSSLClientHandler {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = try roots.roots(for: place)
    let context = try NIOSSLContext(configuration: configuration)
    // TLS takes no address for a name.
    let isAddress = address(of: place) != nil
    return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : place.host)
  }

  private static func address(of place: WebPlace) -> SocketAddress? {
    try? SocketAddress(ipAddress: place.host, port: place.port)
  }

  /// The 4 or 16 octets of an address, behind family and port, and IPv6's flow.
  private static func octets(_ address: SocketAddress) -> [UInt8]? {
    switch address {
    case .v4(let v4): unsafe withUnsafeBytes(of: v4.address) { unsafe Array($0[4..<8]) }
    case .v6(let v6): unsafe withUnsafeBytes(of: v6.address) { unsafe Array($0[8..<24]) }
    case .unixDomainSocket: nil
    }
  }
}

extension WebFault {
  /// What SwiftNIO says of a connection.
  package init(_ error: any Error) {
    switch error {
    case let error as NIOConnectionError:
      guard let first = error.connectionErrors.first else {
        self = .unreachable("the name \(error.host) is not known")
        return
      }
      self.init(first.error)
    case let error as IOError: self = .unreachable(errorWords(error.errnoCode))
    case ChannelError.connectTimeout: self = .late
    case HTTPParserError.invalidEOFState: self = .cut
    case is HTTPParserError: self = .malformed
    case NIOSSLError.uncleanShutdown: self = .cut
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      self = .unreachable("its certificate or TLS is not accepted (\(Self.tls("\(error)")))")
    default: self = .cut
    }
  }

  /// BoringSSL's reason, without the path of its source.
  private static func tls(_ text: String) -> String {
    guard let start = text.firstRange(of: "OPENSSL_internal:") else { return text }
    return String(text[start.upperBound...].prefix { $0 != " " })
  }
}
