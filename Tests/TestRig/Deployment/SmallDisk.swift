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

  /// Whether its folder can be made such that nobody makes or renames a file in it, root included: since Linux 6.6.
  static let canBeClosed: Bool = {
    var flags: CLong = 0
    return attributes(of: "/dev/shm", readFlags, &flags) == 0
  }()

  /// Makes it one that can only be read, or not so any more; refused while a file on it is open for writing.
  public func setReadOnly(_ isReadOnly: Bool) throws(RigError) {
    let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
    guard unsafe mount("tmpfs", path, "tmpfs", flags, "size=1m,mode=0700") == 0 else {
      throw .file(path: path, reason: "cannot be mounted anew: \(systemMessage(errno))")
    }
  }

  /// Closes its folder, or opens it again: as on a disk that can only be read, no file comes, goes or changes its name.
  ///
  /// Beside `setReadOnly` it does not depend on what is open.
  func setClosed(_ isClosed: Bool) throws(RigError) {
    var flags: CLong = isClosed ? Self.immutable : 0
    guard Self.attributes(of: path, Self.writeFlags, &flags) == 0 else {
      throw .file(path: path, reason: "keeps its attributes: \(systemMessage(errno))")
    }
  }

  /// FS_IOC_GETFLAGS, FS_IOC_SETFLAGS and FS_IMMUTABLE_FL of linux/fs.h, which are macros.
  private static let (readFlags, writeFlags): (UInt, UInt) = (0x8008_6601, 0x4008_6602)
  private static let immutable: CLong = 0x10

  private static func attributes(
    of folder: String, _ request: UInt, _ flags: inout CLong
  ) -> Int32 {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    return unsafe ioctl(descriptor, request, &flags)
  }

  /// Takes it away, with all that is on it; twice is harmless.
  public func unmount() {
    Cleanup.shared.remove(cleanupKey)
    unsafe umount2(path, Int32(MNT_DETACH))
  }
}
