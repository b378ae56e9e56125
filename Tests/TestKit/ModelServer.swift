import Foundation
import Synchronization

/// A language model's server on a port of the loopback: one answer a question, in the order given.
public final class ModelServer: Sendable {
  private struct Answers {
    var raw: [String] = []
    var texts: [String] = []
    var requests: [String] = []
    var stalls = false
  }

  private struct NoPort: Error {}

  private static let mostRequests = 64

  /// Where it listens, on 127.0.0.1.
  public let port: Int
  private let listener: Int32
  private let state = Mutex(Answers())

  /// Listens.
  public init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let descriptor = listener
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0 && listen(descriptor, 8) == 0
          ? unsafe getsockname(descriptor, pointer, &size) : -1
      }
    }
    guard code == 0 else { throw NoPort() }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        self?.serve(connection)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Texts of answers; the last one stays.
  public var answers: [String] {
    get { state.withLock { $0.texts } }
    set { state.withLock { $0.texts = newValue } }
  }

  /// Events that are answers before those.
  public var raw: [String] {
    get { state.withLock { $0.raw } }
    set { state.withLock { $0.raw = newValue } }
  }

  /// Whether answers do not begin, as long as it is so and somebody waits.
  public var stalls: Bool {
    get { state.withLock { $0.stalls } }
    set { state.withLock { $0.stalls = newValue } }
  }

  /// What was asked of late, heads and contents.
  public var requests: [String] { state.withLock { $0.requests } }

  private func serve(_ connection: Int32) {
    var octets: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while !isWhole(octets) {
      let count = unsafe recv(connection, &part, part.count, 0)
      guard count > 0 else { return }
      octets += part.prefix(count)
    }
    let event = state.withLock { state in
      state.requests.append(String(decoding: octets, as: UTF8.self))
      if state.requests.count > Self.mostRequests { state.requests.removeFirst() }
      if !state.raw.isEmpty { return state.raw.removeFirst() }
      let text = state.texts.first ?? ""
      if state.texts.count > 1 { state.texts.removeFirst() }
      return #"{"choices":[{"delta":{"content":"\#(text)"}}]}"#
    }
    while stalls {
      guard unsafe recv(connection, &part, 1, Int32(MSG_DONTWAIT)) != 0 else { return }
      usleep(5000)
    }
    let response = Array(
      ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        + "data: \(event)\n\ndata: [DONE]\n\n").utf8)
    _ = unsafe send(connection, response, response.count, Int32(MSG_NOSIGNAL))
    shutdown(connection, Int32(SHUT_WR))
  }

  private func isWhole(_ octets: [UInt8]) -> Bool {
    let text = String(decoding: octets, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n"),
      let length = text.range(of: "content-length: ", options: .caseInsensitive)
    else { return false }
    let count = Int(text[length.upperBound...].prefix { $0.isNumber }) ?? 0
    return text[end.upperBound...].utf8.count >= count
  }
}
