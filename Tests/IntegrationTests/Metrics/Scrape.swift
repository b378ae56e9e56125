import Glibc

@testable import TestRig

/// One GET of a node, by default of its figures, as Prometheus does it.
struct Scrape {
  /// The head of the answer, up to the empty line.
  let head: String
  /// What follows.
  let octets: [UInt8]
  /// The same as text.
  var body: String { String(decoding: octets, as: UTF8.self) }

  /// Asks a node of this machine.
  ///
  /// - Throws: `RigError.status` where nothing listens or no answer comes.
  init(port: Int, path: String = "/metrics") throws(RigError) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw .status(reason: "port \(port): \(systemMessage(errno))") }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8)
    _ = unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(descriptor, &part, part.count, 0)
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw .status(
        reason: "port \(port) answers \"\(String(decoding: bytes, as: UTF8.self))\"")
    }
    head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    octets = Array(bytes[end.upperBound...])
  }
}
