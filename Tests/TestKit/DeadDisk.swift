internal import Glibc

/// A file system in user space whose server never answers, as a share whose machine is gone; root only.
public final class DeadDisk {
  private let path: String
  private var device: Int32

  /// Mounts it over a folder; nil: this machine has no FUSE.
  public init?(at path: String) {
    self.path = path
    device = unsafe open("/dev/fuse", O_RDWR | O_CLOEXEC)
    guard device >= 0 else { return nil }
    let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0"
    guard unsafe mount("comlink-test", path, "fuse", 0, options) == 0 else {
      close(device)
      return nil
    }
  }

  deinit { giveUp() }

  /// Whoever waits gets an error now.
  public func giveUp() {
    guard device >= 0 else { return }
    close(device)
    device = -1
    unsafe umount2(path, Int32(MNT_DETACH))
  }
}
