public import Cryptography

/// Whom a key is for.
public enum KeyTarget: Sendable, Hashable {
  /// Who is on a line and listens to it.
  case line(LineName)
  /// One member, whom nobody else hears.
  case member(MemberName)
  /// Those who share a group's secret.
  case group(GroupLabel)
  /// Who called last.
  case reply
  /// All members, whatever they listen to.
  case announcement
  /// All lines that the node is on.
  case allLines
  /// The node's assistant: a press begins a call with it, or ends it.
  case assistant

  /// The line, where it is one.
  public var line: LineName? { if case .line(let line) = self { line } else { nil } }
}

/// A member as a user means it: by its ID, or by what it is called here.
public struct MemberName: Sendable, Hashable {
  /// The longest in UTF-8: an ID has fewer.
  public static let byteLimit = 64

  /// As it was written.
  public let text: String

  /// Takes a name or an ID.
  ///
  /// - Throws: that it can be neither.
  public init(_ text: String) throws(LineError) {
    guard (1...Self.byteLimit).contains(text.utf8.count) else { throw .badMember(text) }
    self.text = text
  }

  /// A member by its ID: nobody else can come to be called so.
  public init(_ node: NodeID) { text = node.text }

  /// Who is meant; nil: nobody that is known, or more than one.
  func node(among called: [NodeID: String]) -> NodeID? {
    if let node = NodeID(text: text) { return node }
    let lowercased = text.lowercased()
    let exact = called.filter { $0.value == text }
    let meant = exact.isEmpty ? called.filter { $0.value.lowercased() == lowercased } : exact
    return meant.count == 1 ? meant.first?.key : nil
  }
}

/// A group as a user means it: by its name, 1 to 63 bytes.
public struct GroupLabel: Sendable, Hashable {
  /// As it was written.
  public let text: String

  /// Takes a name.
  ///
  /// - Throws: that no group can be called so.
  public init(_ text: String) throws(LineError) {
    guard (1...GroupName.byteLimit).contains(text.utf8.count) else { throw .badGroup(text) }
    self.text = text
  }
}

/// A target as it is written: `line:NAME`, `member:NAME`, `group:NAME`, `reply`, `announcement`, `all` or `assistant`.
extension KeyTarget: CustomStringConvertible {
  /// As it is read again.
  public var description: String {
    switch self {
    case .line(let line): "line:\(line)"
    case .member(let member): "member:\(member.text)"
    case .group(let group): "group:\(group.text)"
    case .reply: "reply"
    case .announcement: "announcement"
    case .allLines: "all"
    case .assistant: "assistant"
    }
  }

  /// Reads a target.
  ///
  /// - Throws: that it is none.
  public init(_ text: String) throws(LineError) {
    switch text {
    case "reply": self = .reply
    case "announcement": self = .announcement
    case "all": self = .allLines
    case "assistant": self = .assistant
    default:
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { throw .badTarget(text) }
      switch parts[0] {
      case "line": self = .line(try LineName(String(parts[1])))
      case "member": self = .member(try MemberName(String(parts[1])))
      case "group": self = .group(try GroupLabel(String(parts[1])))
      default: throw .badTarget(text)
      }
    }
  }
}
