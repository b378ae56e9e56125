import Glibc

/// UDP ports on 127.0.0.1 that nobody uses at the moment.
public enum LoopbackPorts {
  /// So many different free ports; they are free until somebody binds them.
  ///
  /// - Throws: `RigError.launch` when the system gives none.
  public static func free(_ count: Int) throws(RigError) -> [Int] {
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    var ports: [Int] = []
    for _ in 0..<count {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      if descriptor >= 0 { sockets.append(descriptor) }
      guard descriptor >= 0, let port = bindAnywhere(descriptor) else {
        throw .launch(command: "a UDP socket on 127.0.0.1", reason: systemMessage(errno))
      }
      ports.append(port)
    }
    return ports
  }

  private static func bindAnywhere(_ descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
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
