public import Cryptography
internal import RTP

/// What lines, keys and calls come to: whom the keys talk to, and what others are told.
extension LineDesk {
  /// The lines of the group, those that this node is on first.
  var allNames: [LineName] {
    let own = own.names
    return own + directory.names.subtracting(own).sorted()
  }

  /// The key of the line `all`: that of this name, or another that is for nothing else.
  var talkKey: Key? {
    let keys = desk.keys(on: own.names).filter { $0.targets == [.line(.all)] }
    return keys.first { $0.name == .all } ?? keys.first
  }

  /// Whether the key of the line `all` is latched.
  public var isTalkLatched: Bool { talkKey.map { desk.state(of: $0.name).isLatched } ?? false }

  /// A member that a user means.
  ///
  /// - Throws: that there is none, or more than one, of that name.
  public func member(_ name: MemberName) throws(LineError) -> NodeID {
    guard let node = book.node(name) else { throw .noSuchMember(name.text) }
    return node
  }

  /// Whether a member is on a line, for all that both know.
  func isOn(_ line: LineName, _ node: NodeID) -> Bool {
    own.privateLines[line] != nil
      ? privates.people(on: line).contains(node)
      : directory.record(of: node).number(of: line) != nil
  }

  func isShared(_ origin: CallOrigin) -> Bool {
    origin.line.map { own.has($0) && isOn($0, origin.node) } ?? true
  }

  /// What members are to be told of calls, those who are to be told anything.
  var callContents: [NodeID: CallContent] {
    guard
      callDesk.hasNews || !talk.audiences.isEmpty || privates.isUsed || !ear.letsCallersLatch
    else { return [:] }
    let partners = privates.partners
    var contents: [NodeID: CallContent] = [:]
    for node in directory.members {
      var content = callDesk.content(for: node) { line in isOn(line, node) }
      if partners.contains(node) {
        content.privateLines = privates.told(to: node, talking: talk.lines) {
          listens(to: $0, talk)
        }
      }
      content.refusesLatch = !ear.letsCallersLatch
      content.talksAlone = talk.audiences[.member(node)] != nil
      content.talksToGroup = talk.groups.contains { talk.audiences[$0]?.contains(node) == true }
      if content != CallContent() { contents[node] = content }
    }
    return contents
  }

  var plan: TalkPlan {
    TalkPlan(
      desk.effect(on: own.names), answering: callDesk.answering, own: own,
      members: directory.members, book: book, privates: privates)
  }

  func record() -> LineRecord {
    let names = own.names
    var lines = own.byNumber.mapValues(\.name)
    lines[0] = nil
    return LineRecord(
      version: version, lines: lines,
      talking: guests.values.reduce(talkSet(talk)) { $0.union(own.set(of: guestLines($1))) },
      listening: own.set(of: names.filter { listens(to: $0, talk) }))
  }

  /// The lines of the base stream that are talked to, and whether that is an announcement.
  func talkSet(_ talk: TalkPlan) -> LineSet {
    talk.isAnnouncing ? own.set(of: talk.lines).union(.announcement) : own.set(of: talk.lines)
  }

  /// Whether a line is heard, keys considered.
  func listens(to name: LineName, _ talk: TalkPlan) -> Bool {
    guard let line = own.line(name) else { return false }
    let effect = talk.effect
    let isMuted = effect.mutes.contains(name) || effect.isolates && !talk.lines.contains(name)
    return (line.isListening || effect.listens.contains(name)) && !isMuted
  }
}
