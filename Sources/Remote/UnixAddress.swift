internal import Glibc
internal import System

/// The address of a UNIX socket in the file system (unix(7)).
package struct UnixAddress {
  /// The bytes a path can have: `sun_path` less its final zero.
  package static let pathByteLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  private var address = sockaddr_un()

  /// The address of a path.
  package init(path: String) throws(RemoteError) {
    guard path.utf8.count <= Self.pathByteLimit else {
      throw .pathTooLong(path: path, limitBytes: Self.pathByteLimit)
    }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      unsafe bytes.copyBytes(from: path.utf8)
    }
  }

  /// Connects a socket to the address; 0 or `-errno`.
  package func connect(_ descriptor: Int32) -> Int {
    unsafe withAddress { unsafe Glibc.connect(descriptor, $0, $1) }
  }

  /// Gives a socket the address, making the socket file; 0 or `-errno`.
  package func bind(_ descriptor: Int32) -> Int {
    unsafe withAddress { unsafe Glibc.bind(descriptor, $0, $1) }
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int {
    unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        SystemCall.result { unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      }
    }
  }
}
