internal import Glibc

/// A file descriptor that is closed when its last owner lets go of it.
final class Descriptor: Sendable {
  /// The number the kernel knows it by.
  let number: Int32

  /// Takes over an open descriptor.
  init(owning number: Int32) { self.number = number }

  deinit { _ = close(number) }
}
