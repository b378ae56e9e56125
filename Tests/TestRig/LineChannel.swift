import Glibc
import Synchronization

/// A socket to a child's stdin and stdout: a question a line, an answer a line.
final class LineChannel: Sendable {
  /// What the child gets as both; to be closed by `closeChildEnd` once it has it.
  let childEnd: Int32
  private let own: Mutex<(descriptor: Int32, rest: [UInt8])>

  init() throws(RigError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw .launch(command: "a socket pair", reason: systemMessage(errno))
    }
    childEnd = ends[0]
    own = Mutex((ends[1], []))
  }

  deinit {
    own.withLock { _ = close($0.descriptor) }
  }

  /// Else the child's end would not be the end of the conversation.
  func closeChildEnd() {
    close(childEnd)
  }

  /// Asks and waits for the answer, nil when the child is gone; callers take turns.
  ///
  /// - Parameters:
  ///   - question: nil to wait for a line that comes unasked.
  ///   - seconds: how long each part of the answer may take; nil is for ever.
  func ask(_ question: String?, within seconds: Int? = nil) -> String? {
    own.withLock { own in
      if let question, !Self.send("\(question)\n", to: own.descriptor) { return nil }
      return Self.line(from: own.descriptor, rest: &own.rest, within: seconds)
    }
  }

  private static func send(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      bytes = bytes.dropFirst(count)
    }
    return true
  }

  private static func line(
    from descriptor: Int32, rest: inout [UInt8], within seconds: Int?
  ) -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeFirst(end + 1)
        return line
      }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&waiting, 1, seconds.map { Int32($0 * 1000) } ?? -1)
      if ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { return nil }
      var part = [UInt8](repeating: 0, count: 65536)
      let count = unsafe read(descriptor, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      rest += part[..<count]
    }
  }
}
