import Glibc

/// Wakes a `poll` on one thread from another: rung any number of times, heard once.
///
/// A socket pair, because glibc's module does not show `eventfd` to Swift.
struct Bell: ~Copyable, Sendable {
  /// Readable while the bell has been rung and not yet silenced.
  let descriptor: Int32
  private let ringDescriptor: Int32

  /// Makes a silent bell.
  ///
  /// - Throws: `AudioError.system`.
  init() throws(AudioError) {
    var pair: [2 of Int32] = [-1, -1]
    var span = pair.mutableSpan
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let code = unsafe span.withUnsafeMutableBufferPointer { pair in
      unsafe socketpair(AF_UNIX, flags, 0, pair.baseAddress)
    }
    guard code == 0 else {
      throw .system(attempt: "make a socket pair", errorNumber: errno)
    }
    descriptor = pair[0]
    ringDescriptor = pair[1]
  }

  deinit {
    _ = Glibc.close(descriptor)
    _ = Glibc.close(ringDescriptor)
  }

  /// Makes the descriptor readable; any thread.
  func ring() {
    var byte: UInt8 = 1
    // A full socket has been rung often enough.
    _ = unsafe Glibc.send(ringDescriptor, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Takes all rings so far.
  func silence() {
    var bytes: [64 of UInt8] = .init(repeating: 0)
    var span = bytes.mutableSpan
    unsafe span.withUnsafeMutableBytes { bytes in
      while unsafe Glibc.recv(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count {}
    }
  }
}
