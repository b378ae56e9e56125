internal import Cryptography
internal import Glibc

/// Storage of a node's state: one directory of small files, in few enough steps that a test can fail or cut the
/// power at each.
protocol Disk: Sendable {
  /// The whole of a file; nil: there is none of that name.
  func read(_ name: String) throws(StoreError) -> SecretBytes?
  /// Creates an empty file of that name, readable by its owner only; replaces one left by a failed try.
  func create(_ name: String) throws(StoreError) -> Int32
  /// Writes all of it.
  func write(_ bytes: RawSpan, to file: Int32, _ name: String) throws(StoreError)
  /// Returns when the file's octets survive a power cut.
  func sync(_ file: Int32, _ name: String) throws(StoreError)
  func close(_ file: Int32)
  /// Renames a file, replacing any file of that name.
  func rename(_ name: String, to newName: String) throws(StoreError)
  /// Returns when names survive a power cut.
  func syncDirectory() throws(StoreError)
  func remove(_ name: String)
  /// For messages.
  func path(of name: String) -> String
}

extension Disk {
  /// Replaces a file atomically: a power cut leaves the old or the new one, and after the return the new one.
  ///
  /// Written beside it, synced, renamed, and the directory synced (the order matters: POSIX promises nothing
  /// about a name that gets to the disk before its octets). When it throws, the old file is there, or the new one
  /// if only the last step failed.
  func replace(_ name: String, with bytes: RawSpan) throws(StoreError) {
    let draft = "\(name).new"
    let file = try create(draft)
    do throws(StoreError) {
      try write(bytes, to: file, draft)
      try sync(file, draft)
    } catch {
      close(file)
      remove(draft)
      throw error
    }
    close(file)
    do throws(StoreError) {
      try rename(draft, to: name)
    } catch {
      remove(draft)
      throw error
    }
    try syncDirectory()
  }
}

/// The default directory of a node's state.
public enum StatePath {
  /// The directory for a daemon run by root, and for the service, which is another user.
  public static let system = "/var/lib/comlink"

  /// The directory for a user with these environment variables; nil: they name none.
  ///
  /// systemd's `$STATE_DIRECTORY` (the first of its list), else ``system`` for root, else `comlink` in
  /// `$XDG_STATE_HOME`, else in `~/.local/state` (XDG base directory specification). Only whole paths count.
  public static func standard(
    environment: [String: String], userID: UInt32 = currentUserID
  ) -> String? {
    if let list = environment["STATE_DIRECTORY"], let first = list.split(separator: ":").first,
      first.hasPrefix("/")
    {
      return String(first)
    }
    if userID == 0 { return system }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/comlink" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/comlink"
  }

  /// Whether a path is the system's, where a directory of another user is likely a service's that must keep it.
  static func isSystem(_ path: String) -> Bool { path.hasPrefix("/var/") }

  /// The user this process runs as.
  public static var currentUserID: UInt32 { geteuid() }
}
