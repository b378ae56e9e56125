internal import Cryptography
internal import Glibc

/// What a node's state lies on: one directory of small files, behind few enough steps that a test can fail or cut
/// the power at each of them.
protocol Disk: Sendable {
  /// The whole of a file; nil: there is none of that name.
  func read(_ name: String) throws(StoreError) -> SecretBytes?
  /// Makes an empty file of that name, readable by its owner only; what was there of a former try is gone.
  func create(_ name: String) throws(StoreError) -> Int32
  /// Writes all of it.
  func write(_ bytes: RawSpan, to file: Int32, _ name: String) throws(StoreError)
  /// Returns when the file's octets survive a power cut.
  func sync(_ file: Int32, _ name: String) throws(StoreError)
  func close(_ file: Int32)
  /// Gives a file a name, in place of what had it.
  func rename(_ name: String, to newName: String) throws(StoreError)
  /// Returns when names survive a power cut.
  func syncDirectory() throws(StoreError)
  func remove(_ name: String)
  /// For messages.
  func path(of name: String) -> String
}

extension Disk {
  /// Replaces a file as a whole: whenever the power is cut, there is the old or the new one, and after the return the new.
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

/// Where a node's state is when nobody says otherwise.
public enum StatePath {
  /// The place of a daemon that root runs by hand, and of the service, which is another user.
  public static let system = "/var/lib/comlink"

  /// The directory for a user with these environment variables; nil: nothing tells.
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
