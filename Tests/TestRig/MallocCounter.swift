import Foundation
import Glibc

/// Counts the allocations of another program, thread by thread, while a window is open.
///
/// A library for LD_PRELOAD (`Interposer`) shares a file with this object. Start the program with `environment`.
@safe
public final class MallocCounter: @unchecked Sendable {
  /// What one thread did inside the windows since the counter was made.
  public struct Thread: Sendable, Equatable {
    /// Its name when the last window opened.
    public var name: String
    /// Calls of malloc, calloc, realloc and the aligned ones.
    public var allocations: Int
    /// Calls of free on something.
    public var frees: Int
  }

  // The layout of `board` in malloc_counter.c.
  private static let headBytes = 8
  private static let slotBytes = 32
  private static let slotCount = 256
  private static let byteCount = headBytes + slotBytes * slotCount

  /// What the program under test must have in its environment.
  public let environment: [String: String]
  private let board: UnsafeMutableRawPointer
  private var window: UInt32 = 0

  /// Builds the library and the shared file.
  ///
  /// - Throws: `RigError`; `.missing` without a C compiler.
  public init(in directory: TemporaryDirectory) throws(RigError) {
    let library = try Interposer.build("malloc_counter", in: directory)
    let path = directory.file("malloc_counter.board")
    unsafe board = try Self.map(path)
    environment = ["LD_PRELOAD": library, "COMLINK_MALLOC_FILE": path]
  }

  deinit {
    unsafe munmap(board, Self.byteCount)
  }

  /// Counts what all threads do from now on.
  public func openWindow() {
    window += 1
    unsafe board.storeBytes(of: window, as: UInt32.self)
  }

  /// Counts no longer; the sums stay.
  public func closeWindow() {
    unsafe board.storeBytes(of: 0, as: UInt32.self)
  }

  /// Every thread that allocated or freed in a window.
  public var threads: [Thread] {
    let used = min(Int(unsafe board.load(fromByteOffset: 4, as: UInt32.self)), Self.slotCount)
    return (0..<used).map { index in
      let slot = unsafe board + Self.headBytes + index * Self.slotBytes
      let name = unsafe UnsafeRawBufferPointer(start: slot, count: 16).prefix { $0 != 0 }
      return Thread(
        name: unsafe String(decoding: name, as: UTF8.self),
        allocations: Int(unsafe slot.load(fromByteOffset: 16, as: UInt64.self)),
        frees: Int(unsafe slot.load(fromByteOffset: 24, as: UInt64.self)))
    }
  }

  private static func map(_ path: String) throws(RigError) -> UnsafeMutableRawPointer {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .file(path: path, reason: systemMessage(errno)) }
    defer { close(file) }
    guard ftruncate(file, byteCount) == 0,
      let memory = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      unsafe memory != MAP_FAILED
    else { throw .file(path: path, reason: systemMessage(errno)) }
    return unsafe memory
  }
}
