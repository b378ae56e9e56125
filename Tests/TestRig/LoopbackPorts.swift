import Glibc

/// Ports on 127.0.0.1 that nobody uses at the moment, neither for UDP nor for TCP.
public enum LoopbackPorts {
  /// Below those that the kernel gives to connections that go out (ip_local_port_range).
  private static let range = 15_000..<32_000

  /// So many different free ports; they are free until somebody binds them.
  ///
  /// - Throws: `RigError.launch` when there are none.
  public static func free(_ count: Int) throws(RigError) -> [Int] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    var ports: [Int] = []
    for _ in 0..<(count * 16) where ports.count < count {
      let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      let connections = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      sockets += [datagrams, connections].filter { $0 >= 0 }
      guard datagrams >= 0, connections >= 0 else { break }
      let port = Int.random(in: range)
      if isBound(datagrams, to: port), isBound(connections, to: port) { ports.append(port) }
    }
    guard ports.count == count else {
      throw .launch(command: "a socket on 127.0.0.1", reason: systemMessage(errno))
    }
    return ports
  }

  private static func isBound(_ descriptor: Int32, to port: Int) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(descriptor, generic, length) == 0
      }
    }
  }
}
