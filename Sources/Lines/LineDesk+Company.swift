public import Cryptography

/// Who is on a line that a node is on.
public struct LineCompany: Sendable, Hashable {
  /// Which.
  public let name: LineName
  /// Which private line; nil: none.
  public let privateID: PrivateLineID?
  /// Who says that it is on it.
  public let members: Set<NodeID>
  /// Of a private line, who was added and not removed, those who are away too; nil: of any other.
  public let roster: Set<NodeID>?
  /// Of a private line, who left it, or was removed.
  public let removed: Set<NodeID>
}

extension LineDesk {
  /// Who else is on the lines that this node is on.
  public var company: [LineCompany] {
    let people = directory.people
    return own.names.sorted().map { name in
      let isPrivate = own.privateLines[name] != nil
      let members = isPrivate ? privates.people(on: name) : people[name]?.members ?? []
      let line = privates.lines[name]
      return LineCompany(
        name: name, privateID: line?.id, members: Set(members),
        roster: isPrivate ? line?.roster.members ?? [] : nil,
        removed: line.map { Set($0.roster.entries.filter { !$0.value.isOn }.keys) } ?? [])
    }
  }

  /// Members that said which lines they are on.
  public var toldMembers: Set<NodeID> { directory.members.filter { directory.knows($0) } }
}
