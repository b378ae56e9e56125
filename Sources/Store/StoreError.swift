public import Cryptography

/// Why something of a node's state cannot be read or kept.
public enum StoreError: Error, Hashable, Sendable {
  /// Nothing says where the state should be: no `HOME`, and none of the variables.
  case noPlace
  /// The system refused: what was tried, on what, and the error number.
  case system(attempt: String, path: String, code: Int32)
  /// Another comlinkd uses the directory.
  case busy(path: String)
  /// Something is there, but not a directory or not a plain file.
  case wrongKind(path: String, wanted: String)
  /// It belongs to another user.
  case foreign(path: String, ownerID: UInt32)
  /// Others may read or change it; the mode it should have.
  case exposed(path: String, mode: UInt32, wanted: UInt32)
  /// The file system cannot do what the state needs, such as `lock files`.
  case unfit(path: String, lacks: String)
  /// A file has something else in it than what was written: what is lost with it.
  case corrupt(path: String, what: String)
  /// Both copies of the instance counter are lost, and the clock does not help.
  case instanceLost(path: String)
  /// Keys or invitations that will not do.
  case crypto(CryptoError)
  /// A change is not made, because it could not be kept.
  case notKept(reason: String)
  /// There is a group of that name already, with another secret.
  case groupExists(name: String)
  /// The node is in that group already, under another name.
  case sameGroup(name: String)
  /// There is no group of that name.
  case noSuchGroup(name: String)
  /// No more groups than that.
  case tooManyGroups(limit: Int)
}
