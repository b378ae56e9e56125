public import Cryptography

/// An invitation to a private line.
public struct PrivateInvitation: Sendable, Hashable {
  /// What the line is called.
  public let name: LineName
  /// Who told of it.
  public let from: NodeID
  let id: PrivateLineID
}

/// The private lines that a node is on, who else is, and those that it is invited to.
///
/// Who is on a line adds members and removes them; a member that is added is invited, and is on it once it says so
/// itself. Each end has a stream of its own for a line, of which those get the keys that are on it both by the roster
/// and by their own word. Nobody else is told of a line, not even its name.
///
/// Sans-I/O. What members said last is kept and judged anew whenever somebody's place changes, so that it does not
/// matter what comes first.
struct PrivateLines {
  struct Line {
    let id: PrivateLineID
    var roster: PrivateRoster
  }

  /// Lines that this node left and whose members may not know yet, the latest last.
  private struct Left {
    let id: PrivateLineID
    let name: LineName
    let roster: PrivateRoster
  }

  private static let leftLimit = 4

  private(set) var lines: [LineName: Line] = [:]
  private var left: [Left] = []
  /// What each member said last.
  private var heard: [NodeID: [PrivateLineID: PrivateLineTold]] = [:]
  /// This node, once it is known.
  private var ownNode: NodeID?

  var isUsed: Bool { !lines.isEmpty || !left.isEmpty }

  // MARK: What the user does

  mutating func take(ownNode: NodeID) { self.ownNode = ownNode }

  /// Makes a line that this node alone is on.
  mutating func make(_ name: LineName, _ id: PrivateLineID) throws(LineError) {
    guard let ownNode else { throw .privateLinesNotReady }
    guard lines.count < LineLimits.privateLines else { throw .tooManyPrivateLines }
    var roster = PrivateRoster()
    _ = roster.set(ownNode, isOn: true)
    lines[name] = Line(id: id, roster: roster)
  }

  /// Is on a line that a member invited to.
  mutating func accept(_ invitation: PrivateInvitation) throws(LineError) {
    guard let roster = heard[invitation.from]?[invitation.id]?.roster?.members else {
      throw .noInvitation(invitation.name)
    }
    guard lines.count < LineLimits.privateLines else { throw .tooManyPrivateLines }
    lines[invitation.name] = Line(id: invitation.id, roster: roster)
    left.removeAll { $0.id == invitation.id }
    absorb()
  }

  /// Leaves a line, or declines to be on it.
  mutating func leave(_ name: LineName) {
    var gone: [(PrivateLineID, PrivateRoster)] = []
    if let line = lines.removeValue(forKey: name) {
      gone.append((line.id, line.roster))
    } else {
      gone = invitations(to: name).compactMap { invitation in
        heard[invitation.from]?[invitation.id]?.roster.map { (invitation.id, $0.members) }
      }
    }
    for (id, roster) in gone {
      var roster = roster
      if let ownNode { _ = roster.set(ownNode, isOn: false) }
      left = left.suffix(Self.leftLimit - 1) + [Left(id: id, name: name, roster: roster)]
    }
  }

  /// Adds a member to a line, or removes it.
  mutating func set(_ node: NodeID, isOn: Bool, to name: LineName) throws(LineError) {
    guard var line = lines[name] else { throw .notPrivate(name) }
    guard isOn || line.roster.isOn(node) else { throw .notOnPrivateLine(name) }
    guard line.roster.set(node, isOn: isOn) else { throw .privateLineFull(name) }
    lines[name] = line
    absorb()
  }

  /// The lines of a former run.
  mutating func restore(_ name: LineName, _ id: PrivateLineID, _ roster: PrivateRoster) {
    lines[name] = Line(id: id, roster: roster)
  }

  // MARK: What members say

  mutating func depart(_ node: NodeID) { heard[node] = nil }

  /// Takes all that a member says of private lines.
  mutating func take(_ told: [PrivateLineTold], of node: NodeID) {
    guard !told.isEmpty || heard[node] != nil else { return }
    heard[node] = Dictionary(told.map { ($0.id, $0) }) { first, _ in first }
    absorb()
  }

  /// Takes what those who are on this node's lines say of who is.
  private mutating func absorb() {
    for (name, line) in lines {
      var roster = line.roster
      var before: PrivateRoster?
      // What one says may let another have a say.
      while before != roster {
        before = roster
        for node in roster.members.sorted() where node != ownNode {
          if let told = heard[node]?[line.id]?.roster?.members { roster.merge(told, from: node) }
        }
      }
      lines[name]?.roster = roster
    }
  }

  /// Lines that this node was removed from; they are forgotten by that.
  mutating func takeLost() -> [LineName] {
    guard let ownNode else { return [] }
    let lost = lines.filter { !$0.value.roster.isOn(ownNode) }.keys
    for name in lost { lines[name] = nil }
    return Array(lost)
  }

  // MARK: What follows

  /// Who is on a line by the roster and by its own word, this node not counted.
  func people(on name: LineName) -> [NodeID] {
    guard let line = lines[name] else { return [] }
    return line.roster.members.filter { heard[$0]?[line.id]?.isJoined == true }.sorted()
  }

  /// Who of them talks there.
  func talkers(on name: LineName) -> [NodeID] {
    guard let line = lines[name] else { return [] }
    return people(on: name).filter { heard[$0]?[line.id]?.isTalking == true }
  }

  /// Who was added and has not said that it wants to be on the line.
  func invited(to name: LineName) -> [NodeID] {
    guard let line = lines[name] else { return [] }
    return line.roster.members.subtracting(people(on: name)).filter { $0 != ownNode }.sorted()
  }

  /// The stream of this node for a line; nil: it is on no such line.
  func audience(of name: LineName) -> Audience? {
    lines[name].map { Audience.privateLine($0.id.octets) }
  }

  /// Lines that this node is invited to, each once.
  var invitations: [PrivateInvitation] {
    guard let ownNode else { return [] }
    let known = Set(lines.values.map(\.id))
    var seen: Set<PrivateLineID> = []
    var invitations: [PrivateInvitation] = []
    for (node, told) in heard.sorted(by: { $0.key < $1.key }) {
      for line in told.values.sorted(by: { $0.id < $1.id }) where !known.contains(line.id) {
        guard line.isJoined, let roster = line.roster, roster.members.isOn(ownNode),
          roster.members.isOn(node), !isDeclined(line.id, by: ownNode, after: roster.members),
          seen.insert(line.id).inserted
        else { continue }
        invitations.append(PrivateInvitation(name: roster.name, from: node, id: line.id))
      }
    }
    return Array(invitations.prefix(LineLimits.invitations))
  }

  func invitations(to name: LineName) -> [PrivateInvitation] {
    invitations.filter { $0.name == name }
  }

  /// Whether this node said no since.
  private func isDeclined(
    _ id: PrivateLineID, by node: NodeID, after roster: PrivateRoster
  ) -> Bool {
    guard let left = left.first(where: { $0.id == id })?.roster.entries[node],
      let told = roster.entries[node]
    else { return false }
    return !told.isAfter(left)
  }

  /// What a member is to be told.
  func told(
    to node: NodeID, talking: Set<LineName>, listening: (LineName) -> Bool
  ) -> [PrivateLineTold] {
    var all: [PrivateLineTold] = []
    // Those who are on a line first: there is room for few rosters.
    let lines = lines.filter { $0.value.roster.entries[node] != nil }.sorted { one, other in
      let isOn = [one, other].map { heard[node]?[$0.value.id]?.isJoined == true }
      return isOn[0] != isOn[1] ? isOn[0] : one.value.id < other.value.id
    }
    var rosters = 0
    for (name, line) in lines {
      var told = PrivateLineTold(id: line.id)
      told.isJoined = true
      guard line.roster.isOn(node) else {
        // Who was removed learns that, and nothing else.
        told.roster = line.roster.entries[node].flatMap { PrivateRoster(entries: [node: $0]) }
          .map { PrivateLineTold.Roster(name: name, members: $0) }
        all.append(told)
        continue
      }
      let heard = heard[node]?[line.id]
      if heard?.isJoined == true {
        (told.isTalking, told.isListening) = (talking.contains(name), listening(name))
      }
      told.digest = line.roster.digest
      if heard?.digest != told.digest, rosters < PrivateLineTold.rosterLimit {
        rosters += 1
        told.roster = PrivateLineTold.Roster(name: name, members: line.roster)
      }
      all.append(told)
    }
    for line in left where line.roster.isOn(node) {
      guard let ownNode, let entry = line.roster.entries[ownNode] else { continue }
      var told = PrivateLineTold(id: line.id)
      told.roster = PrivateRoster(entries: [ownNode: entry])
        .map { PrivateLineTold.Roster(name: line.name, members: $0) }
      all.append(told)
    }
    return Array(all.prefix(PrivateLineTold.limit)).sorted { $0.id < $1.id }
  }

  /// Those who may have to be told anything.
  var partners: Set<NodeID> {
    var nodes = Set(left.flatMap(\.roster.members))
    for line in lines.values { nodes.formUnion(line.roster.entries.keys) }
    return nodes
  }
}
