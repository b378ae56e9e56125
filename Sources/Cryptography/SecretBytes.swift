internal import CSodium

/// Secret octets: the one owner of their memory, which is zeroed at the end.
///
/// The memory lies between guard pages, stays out of core dumps, and out of swap where the limits on locked memory
/// allow it. There is no copy but by ``init(copying:)``, and nothing to print: a value that cannot be copied goes into
/// no string. What is read by ``withBytes(_:)`` must not be kept.
///
/// Made and read by any thread; each secret costs two to three pages.
///
/// `@unchecked`, as the compiler lets no struct with a pointer be `Sendable`. It holds because this value is the only
/// one that has the pointer: it cannot be copied, only `mutating` functions write through it,
/// and what `withBytes` lends cannot escape.
@safe public struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer
  /// Its length.
  public let byteCount: Int

  /// So many octets of zero.
  ///
  /// - Parameter byteCount: 1 or more.
  public init(byteCount: Int) throws(CryptoError) {
    precondition(byteCount > 0)
    try Sodium.start()
    guard let memory = unsafe csodium_secret_create(byteCount) else {
      throw .outOfMemory(bytes: byteCount)
    }
    unsafe self.memory = unsafe memory
    self.byteCount = byteCount
  }

  /// So many random octets from the system.
  public init(randomByteCount byteCount: Int) throws(CryptoError) {
    try self.init(byteCount: byteCount)
    unsafe csodium_random(memory, byteCount)
  }

  /// A copy; the original is the caller's to zero.
  ///
  /// - Parameter bytes: one octet or more.
  public init(copying bytes: RawSpan) throws(CryptoError) {
    try self.init(byteCount: bytes.byteCount)
    unsafe bytes.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
        .copyMemory(from: source)
    }
  }

  deinit {
    unsafe csodium_secret_destroy(memory)
  }

  /// Lets `body` read the octets.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe UnsafeRawBufferPointer(start: memory, count: byteCount).bytes)
  }

  /// Lets `body` change the octets.
  public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var bytes = unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount).mutableBytes
    return try body(&bytes)
  }

  /// Whether both have the same octets; takes as long when they differ early as when late.
  public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    guard byteCount == other.byteCount else { return false }
    return unsafe csodium_equal(memory, other.memory, byteCount) == 1
  }

  /// A second owner of the same octets.
  public borrowing func copy() throws(CryptoError) -> SecretBytes {
    let copy = try SecretBytes(byteCount: byteCount)
    unsafe copy.memory.copyMemory(from: memory, byteCount: byteCount)
    return copy
  }
}
