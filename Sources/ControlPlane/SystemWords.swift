internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import System

/// What the system and TLS say about a failure, in few words.
enum SystemWords {
  static func of(_ error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { of($0.error) } ?? "no answer"
    case let error as IOError: errorWords(error.errnoCode)
    case ChannelError.connectTimeout: "no answer"
    case ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel: "the connection is closed"
    default: isEnd(error) ? "the connection ended unexpectedly" : ofTLS("\(error)")
    }
  }

  /// Whether the other end went, or was cut off, and TLS has nothing against it.
  static func isEnd(_ error: any Error) -> Bool {
    switch error {
    case NIOSSLError.uncleanShutdown: true
    // NIOSSL has no name of its own for it.
    case NIOSSLError.handshakeFailed: "\(error)".contains("EOF during handshake")
    default: error is IOError
    }
  }

  /// BoringSSL's reason, such as `TLSV1_ALERT_CERTIFICATE_REQUIRED`, without the path of its source.
  private static func ofTLS(_ text: String) -> String {
    guard let start = text.firstRange(of: "OPENSSL_internal:") else { return text }
    let rest = text[start.upperBound...]
    return "TLS: \(rest.prefix { $0 != " " })"
  }
}
