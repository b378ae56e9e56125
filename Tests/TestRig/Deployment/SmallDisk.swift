import Foundation
import Glibc

/// A file system of one megabyte in memory, which can be filled up; needs root.
public final class SmallDisk: Sendable {
  /// Where it is mounted.
  public let path: String
  private let cleanupKey: Int
  private var fillerPath: String { "\(path)/filler" }

  /// Mounts it on a new folder that only its owner may read.
  ///
  /// - Throws: `RigError.file`.
  public init(at path: String) throws(RigError) {
    self.path = path
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw .file(path: path, reason: systemMessage(errno))
    }
    guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=1m,mode=0700") == 0 else {
      throw .file(path: path, reason: "cannot be mounted: \(systemMessage(errno))")
    }
    cleanupKey = Cleanup.shared.add { unsafe umount2(path, Int32(MNT_DETACH)) }
  }

  deinit { unmount() }

  /// Leaves no room for a single octet.
  public func fill() throws(RigError) {
    let file = unsafe open(fillerPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .file(path: fillerPath, reason: systemMessage(errno)) }
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 4096)
    while unsafe write(file, block, block.count) > 0 {}
    guard errno == ENOSPC else { throw .file(path: fillerPath, reason: systemMessage(errno)) }
  }

  /// Gives the room back.
  public func empty() { unsafe unlink(fillerPath) }

  /// Whether it can be written to, as whoever has it read-only cannot.
  public func setReadOnly(_ isReadOnly: Bool) throws(RigError) {
    let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
    guard unsafe mount(nil, path, nil, flags, nil) == 0 else {
      throw .file(path: path, reason: "cannot be remounted: \(systemMessage(errno))")
    }
  }

  /// Takes it away, with all that is on it; twice is harmless.
  public func unmount() {
    Cleanup.shared.remove(cleanupKey)
    unsafe umount2(path, Int32(MNT_DETACH))
  }
}
