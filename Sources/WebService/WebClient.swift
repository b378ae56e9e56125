internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import ServiceLoop

/// One request to a service, and all of its answer.
public struct WebRequest: Sendable {
  /// What is asked for (RFC 9110 §9).
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
  }

  /// What.
  public var method: Method
  /// Where, whole.
  public var place: WebPlace
  /// What follows it, as it is sent; begins with a slash.
  public var target: String
  /// Beyond Host, Content-Length and User-Agent.
  public var headers: [(name: String, value: String)] = []
  /// What is sent with it.
  public var content: [UInt8] = []
  /// The most that the answer's content may have, octets.
  public var answerBytes = 1 << 20
  /// How long all of it may take.
  public var seconds = 60

  /// A request without content.
  public init(_ method: Method, _ place: WebPlace, _ target: String) {
    (self.method, self.place, self.target) = (method, place, target)
  }
}

/// What a service answered, whatever it was.
public struct WebAnswer: Hashable, Sendable {
  /// RFC 9110 §15.
  public var status: Int
  /// Its content.
  public var content: [UInt8]

  /// An answer.
  public init(status: Int, content: [UInt8]) { (self.status, self.content) = (status, content) }
}

/// Why there is no answer.
public enum WebFault: Error, Hashable, Sendable {
  /// Nobody is there, or not who should be, in words.
  case unreachable(String)
  /// It took too long.
  case late
  /// It closed the connection in the middle.
  case cut
  /// What came is not HTTP.
  case malformed
  /// The answer is longer than it may be.
  case tooLong
}

extension WebFault: CustomStringConvertible {
  /// A clause for people.
  public var description: String {
    switch self {
    case .unreachable(let words): words
    case .late: "it took too long"
    case .cut: "it closed the connection"
    case .malformed: "what it says is not HTTP"
    case .tooLong: "its answer is too long"
    }
  }
}

/// Asks services on the web, each request by a connection of its own.
///
/// Redirections are answers like others.
///
/// Runs on one thread of its own.
public final class WebClient: Sendable {
  /// What certificates are believed, why they cannot be.
  public struct TrustProblem: Error, Sendable {
    /// In words, as the end of a sentence that begins with the file.
    public let words: String
  }

  private let threads: MultiThreadedEventLoopGroup
  private let gate: LoopGate
  private let trust: WebTrust.Roots

  /// Believes the system's certificates.
  public convenience init() { self.init(trust: .system) }

  /// Believes the certificates of a file only: PEM, or one in DER.
  public convenience init(authorities: String) throws(TrustProblem) {
    let anchors: [TrustAnchor]
    do {
      let isOne = try? NIOSSLCertificate.fromDERFile(authorities)
      let all = try isOne.map { [$0] } ?? NIOSSLCertificate.fromPEMFile(authorities)
      anchors = try all.map { TrustAnchor(try $0.toDERBytes()) }
    } catch {
      throw TrustProblem(words: "is no file of certificates, PEM or DER, that can be read")
    }
    self.init(trust: .anchors(anchors))
  }

  private init(trust: WebTrust.Roots) {
    self.trust = trust
    threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    gate = LoopGate(threads.next())
  }

  /// Asks, and waits for the whole answer.
  public func ask(_ request: WebRequest) async throws(WebFault) -> WebAnswer {
    let (loop, gate, trust) = (threads.next(), gate, trust)
    let outcome = await withCheckedContinuation { continuation in
      gate.run {
        WebAsking(request, trust, on: loop) { continuation.resume(returning: $0) }.connect()
      } orElse: {
        continuation.resume(returning: .failure(WebFault.unreachable("the node is exiting")))
      }
    }
    return try outcome.get()
  }

  /// Ends all that is under way, and the thread; once.
  public func stop() async {
    _ = gate.shut()
    try? await threads.shutdownGracefully()
  }
}
