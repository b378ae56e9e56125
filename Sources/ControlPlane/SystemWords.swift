internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// What the system and TLS say about a failure, in few words.
enum SystemWords {
  static func of(_ error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { of($0.error) } ?? "nobody answers"
    case let error as IOError: of(error)
    case ChannelError.connectTimeout: "nobody answers"
    case ChannelError.alreadyClosed, ChannelError.ioOnClosedChannel: "it is closed"
    case NIOSSLError.uncleanShutdown: "it ended in the middle"
    default: ofTLS("\(error)")
    }
  }

  /// `connect: Connection refused`, without the number.
  private static func of(_ error: IOError) -> String {
    let text = error.description
    guard let end = text.firstRange(of: " (errno") else { return text }
    return String(text[..<end.lowerBound])
  }

  /// BoringSSL's reason, such as `TLSV1_ALERT_CERTIFICATE_REQUIRED`, without the path of its source.
  private static func ofTLS(_ text: String) -> String {
    guard let start = text.firstRange(of: "OPENSSL_internal:") else { return text }
    let rest = text[start.upperBound...]
    return "TLS: \(rest.prefix { $0 != " " })"
  }
}
