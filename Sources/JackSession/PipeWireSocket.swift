import Glibc

/// Where a PipeWire listens that programs of a user can be clients of.
public struct PipeWireSocket: Hashable, Sendable {
  /// Its path.
  public var path: String
  /// Whose it is.
  public var user: UInt32

  /// Where users' sockets are, by `XDG_RUNTIME_DIR`.
  public static let usersFolder = "/run/user"
  private static let standardName = "pipewire-0"

  /// The one that this process' programs would find; nil: none is there.
  public static func ofThisProcess() -> PipeWireSocket? {
    let name = variable("PIPEWIRE_REMOTE") ?? standardName
    if name.hasPrefix("/") { return at(name) }
    let folders = [variable("PIPEWIRE_RUNTIME_DIR"), variable("XDG_RUNTIME_DIR")]
    guard let folder = folders.lazy.compactMap({ $0 }).first else { return nil }
    return at("\(folder)/\(name)")
  }

  /// Those of users who are logged in, as far as this process may look.
  public static func ofAllUsers(in folder: String = usersFolder) -> [PipeWireSocket] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var users: [UInt32] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if let user = UInt32(name) { users.append(user) }
    }
    return users.sorted().compactMap { at("\(folder)/\($0)/\(standardName)") }
  }

  private static func at(_ path: String) -> PipeWireSocket? {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return PipeWireSocket(path: path, user: status.st_uid)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
