import Glibc

/// A node's name, taken: a locked file that also tells that its namespace is one of ours.
///
/// The kernel lets the lock go however the process ends; the file then stands for something to clean up.
struct NodeClaim: ~Copyable {
  static let folder = "/run/comlink-link"

  let name: String
  private let descriptor: Int32

  /// Takes a name, nil if a running emulator has it.
  ///
  /// - Throws: `LinkError.system`.
  init?(_ name: String) throws(LinkError) {
    unsafe mkdir(Self.folder, 0o755)
    let path = Self.path(of: name)
    while true {
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
      guard descriptor >= 0 else { throw .system(attempt: "make \(path)", errorNumber: errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        return nil
      }
      var status = stat()
      // Whoever had it may have removed the file after we opened it.
      if unsafe fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        self.name = name
        self.descriptor = descriptor
        return
      }
      close(descriptor)
    }
  }

  deinit { close(descriptor) }

  /// Lets the name go: nothing is left to clean up.
  func forget() { unsafe unlink(Self.path(of: name)) }

  /// The names that are taken or were when their owner was killed.
  static func all() -> [String] {
    guard let folder = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func path(of name: String) -> String { "\(folder)/\(name)" }
}
