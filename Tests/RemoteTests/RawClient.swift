import Glibc
import System
import Testing

@testable import Remote

/// A client that sends whatever a test wants, byte by byte.
final class RawClient: Sendable {
  let descriptor: Descriptor

  init(_ path: String) throws {
    descriptor = Descriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    if let code = SystemCall.code(try UnixAddress(path: path).connect(descriptor.number)) {
      throw RemoteError.system(operation: "connect to", path: path, code: code)
    }
    // No test hangs for ever, and none depends on how long this is.
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    unsafe setsockopt(descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
  }

  /// Sends all bytes; false when the other side has hung up.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      let sent = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
        return unsafe Glibc.send(
          descriptor.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return false }
      written += sent
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// No more will be sent.
  func finish() { shutdown(descriptor.number, Int32(SHUT_WR)) }

  /// The next line without its end; nil at the end of the connection.
  func line() -> String? {
    var line: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      switch unsafe recv(descriptor.number, &byte, 1, 0) {
      case 1 where byte == UInt8(ascii: "\n"): return String(decoding: line, as: UTF8.self)
      case 1: line.append(byte)
      case -1 where errno == EAGAIN:
        Issue.record("neither a line nor the end came")
        return nil
      default: return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
      }
    }
  }
}
