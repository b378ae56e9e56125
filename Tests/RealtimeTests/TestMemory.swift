import CRealtime
import Glibc
import Testing

/// Memory to hand to the plugin, of any size and with any seals.
final class TestMemory {
  let descriptor: Int32
  private let bytes: Int

  /// As large as other memory.
  convenience init(like other: Int32, seals: Int32) throws {
    var facts = stat()
    try #require(unsafe fstat(other, &facts) == 0)
    try self.init(bytes: Int(facts.st_size), seals: seals)
  }

  init(bytes: Int, seals: Int32) throws {
    let addSeals: Int32 = 1033
    self.bytes = bytes
    descriptor = try Self.memoryFile()
    try #require(descriptor >= 0 && ftruncate(descriptor, bytes) == 0)
    try #require(seals == 0 || fcntl(descriptor, addSeals, seals) == 0)
  }

  deinit {
    close(descriptor)
  }

  /// The memory that a ``SharedEngine`` shares, found among this process' descriptors.
  static func ofEngine() throws -> Int32 {
    for descriptor in 3..<1024 as Range<Int32> {
      var target = [CChar](repeating: 0, count: 64)
      let bytes = unsafe readlink("/proc/self/fd/\(descriptor)", &target, 63)
      let letters = target.prefix(max(0, bytes)).map { UInt8(bitPattern: $0) }
      let link = String(decoding: letters, as: UTF8.self)
      if link.hasPrefix("/memfd:comlink-audio") { return descriptor }
    }
    throw NoMemory()
  }

  private struct NoMemory: Error {}

  /// A memfd that can be sealed; Glibc's module does not show the function.
  private static func memoryFile() throws -> Int32 {
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let allowSealing: UInt32 = 2
    let symbol = try unsafe #require(unsafe dlsym(nil, "memfd_create"))
    return unsafe unsafeBitCast(symbol, to: Create.self)("test", allowSealing)
  }

  /// Overwrites all but the sound with random words; wild ones are mostly no numbers as floats.
  func scribble(_ random: inout some RandomNumberGenerator, isWild: Bool) {
    let parameters = 64 << 10
    var words = (0..<parameters / 4).map { _ in UInt32.random(in: 0...UInt32.max, using: &random) }
    if isWild {
      for index in words.indices where words[index] % 3 == 0 { words[index] |= 0x7f80_0000 }
    }
    _ = unsafe words.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, parameters, 0) }
    let place = off_t(Int.random(in: 0..<max(1, bytes - parameters), using: &random))
    _ = unsafe words.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, parameters, place)
    }
  }
}

/// An eventfd of its own, from an engine: Glibc's module does not show how to make one.
final class EventDescriptor {
  private let engine: TestEngine
  let number: Int32

  init() throws {
    engine = try TestEngine()
    number = unsafe rt_notice_fd(engine.handle)
  }
}
