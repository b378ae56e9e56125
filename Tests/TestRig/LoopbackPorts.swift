import Glibc

/// Ports on 127.0.0.1 that nobody uses at the moment, neither for UDP nor for TCP.
public enum LoopbackPorts {
  /// So many different free ports; they are free until somebody binds them.
  ///
  /// - Throws: `RigError.launch` when the system gives none.
  public static func free(_ count: Int) throws(RigError) -> [Int] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    var ports: [Int] = []
    // A port that is free for datagrams may be taken by a connection; of the next one most probably not.
    for _ in 0..<(count * 8) where ports.count < count {
      let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      let connections = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      sockets += [datagrams, connections].filter { $0 >= 0 }
      guard datagrams >= 0, connections >= 0, let port = bound(datagrams, to: 0) else { break }
      if bound(connections, to: port) != nil { ports.append(port) }
    }
    guard ports.count == count else {
      throw .launch(command: "a socket on 127.0.0.1", reason: systemMessage(errno))
    }
    return ports
  }

  private static func bound(_ descriptor: Int32, to port: Int) -> Int? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard unsafe bind(descriptor, generic, length) == 0 else { return Int32(-1) }
        return unsafe getsockname(descriptor, generic, &length)
      }
    }
    return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
