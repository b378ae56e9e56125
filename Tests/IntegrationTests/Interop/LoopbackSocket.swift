import Glibc

@testable import TestRig

/// A UDP socket on 127.0.0.1 for tests that play a node's counterpart.
struct LoopbackSocket: ~Copyable {
  private let descriptor: Int32
  /// The port the system chose, or the wanted one.
  let port: Int

  /// Opens a socket on a free port, whose receptions wait at most `receiveMilliseconds`.
  ///
  /// - Throws: `RigError.launch`.
  init(receiveMilliseconds: Int = 10) throws(RigError) {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var patience = timeval(tv_sec: 0, tv_usec: receiveMilliseconds * 1000)
    let length = socklen_t(MemoryLayout<timeval>.size)
    guard descriptor >= 0,
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, length) == 0,
      let port = Self.bindAnywhere(descriptor)
    else { throw .launch(command: "a UDP socket on 127.0.0.1", reason: systemMessage(errno)) }
    self.port = port
  }

  deinit { close(descriptor) }

  /// Sends to a port on 127.0.0.1; loopback refuses nothing that matters to a test.
  func send(_ bytes: ArraySlice<UInt8>, to port: Int) {
    var address = Self.address(port: port)
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
          _ = unsafe sendto(
            descriptor, bytes.baseAddress, bytes.count, 0, generic,
            socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }

  /// The length of the next datagram, which goes to the beginning of `bytes`; 0: none came.
  func receive(into bytes: inout [UInt8]) -> Int {
    max(0, unsafe recv(descriptor, &bytes, bytes.count, 0))
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    return address
  }

  private static func bindAnywhere(_ descriptor: Int32) -> Int? {
    var address = address(port: 0)
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
