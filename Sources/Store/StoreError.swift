public import Cryptography
internal import Glibc
internal import System

/// Why a node's state cannot be read or saved.
public enum StoreError: Error, Hashable, Sendable {
  /// There is no directory for the state: no `HOME`, and none of the variables.
  case noPlace
  /// The system refused: what was tried, on what, and the error number.
  case system(attempt: String, path: String, code: Int32)
  /// Another comlinkd uses the directory.
  case busy(path: String)
  /// The path exists, but is not a directory or not a plain file.
  case wrongKind(path: String, wanted: String)
  /// It belongs to another user.
  case foreign(path: String, ownerID: UInt32)
  /// Others may read or change it; the mode it should have.
  case exposed(path: String, mode: UInt32, wanted: UInt32)
  /// The file system cannot do what the state needs, such as `lock files`.
  case unfit(path: String, lacks: String)
  /// A file is damaged, with what is lost with it.
  case corrupt(path: String, what: String)
  /// Both copies of the instance counter are lost, and the clock does not help.
  case instanceLost(path: String)
  /// Invalid keys or invitations.
  case crypto(CryptoError)
  /// A change was refused because it could not be saved.
  case notKept(reason: String)
  /// There is a group of that name already, with another secret.
  case groupExists(name: String)
  /// The node is in that group already, under another name.
  case sameGroup(name: String)
  /// There is no group of that name.
  case noSuchGroup(name: String)
  /// The node is in that many groups already.
  case tooManyGroups(limit: Int)
}

extension StoreError: CustomStringConvertible {
  /// The error in words for a person, with what to do; no secret is part of it.
  public var description: String {
    switch self {
    case .noPlace: "no directory for the node's state; set HOME or use --state DIR"
    case .system(let attempt, let path, let code):
      "cannot \(attempt) \(path): \(errorWords(code))\(Self.advice(forCode: code, path))"
    case .busy(let path):
      "another comlinkd uses \(path); give this one its own with --state"
    case .wrongKind(let path, let wanted):
      "\(path) is in the way and is not a \(wanted); remove it or use another --state"
    case .foreign(let path, let ownerID) where StatePath.isSystem(path):
      "\(path) belongs to user \(ownerID); run comlinkd as user \(ownerID), or use another --state"
    case .foreign(let path, let ownerID):
      "\(path) belongs to user \(ownerID); give it to this user (chown) or use another "
        + "--state"
    case .exposed(let path, let mode, let wanted):
      "\(path) has mode \(String(mode, radix: 8)), so other users could read or change the node's "
        + "secrets; if none did, run chmod \(String(wanted, radix: 8)) \(path)"
    case .unfit(let path, let lacks):
      "the file system of \(path) cannot \(lacks); use another --state"
    case .corrupt(let path, let what):
      "\(path) is damaged; restore a copy, or remove it and lose \(what)"
    case .instanceLost(let path):
      "the start counter in \(path) is lost, and the clock that could replace it is not set; "
        + "set the clock and start again"
    case .crypto(let error): "\(error)"
    case .notKept(let reason): "changes cannot be saved: \(reason)"
    case .groupExists(let name):
      "group \"\(name)\" exists with another secret; leave it first or use another name"
    case .sameGroup(let name): "this node is already in that group, as \"\(name)\""
    case .noSuchGroup(let name): "this node is not in group \"\(name)\""
    case .tooManyGroups(let limit): "a node can be in \(limit) groups at most; leave one first"
    }
  }

  private static func advice(forCode code: Int32, _ path: String) -> String {
    switch code {
    case ENOSPC, EDQUOT: "; free some space and start again"
    case EROFS: "; make it writable, or use another --state"
    case EACCES where StatePath.isSystem(path), EPERM where StatePath.isSystem(path):
      "; run comlinkd as its owner, or use another --state"
    case EACCES, EPERM: "; give this user permission, or use another --state"
    default: ""
    }
  }
}
