internal import Glibc

/// An open file or directory, closed with the value.
struct Descriptor: ~Copyable {
  let number: Int32

  init(owning number: Int32) { self.number = number }

  deinit { _ = Glibc.close(number) }
}
