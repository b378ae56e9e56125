internal import Cryptography
internal import Glibc
internal import RTP

/// What follows for the media path, for what is kept, and for those who look.
extension LineDesk {
  /// The streams that this node is to have beside the one for all members.
  public var audiences: [AudienceWish] {
    var list = AudienceList()
    for (audience, nodes) in talk.audiences.sorted(by: { $0.key < $1.key }) {
      list.add(audience, nodes)
    }
    func add(_ node: NodeID) {
      if directory.members.contains(node) { list.add(.member(node), [node]) }
    }
    for name in own.privateLines.keys.sorted() {
      if let audience = privates.audience(of: name) {
        list.add(audience, directory.members.intersection(privates.people(on: name)))
      }
    }
    let callers = callDesk.stack.map(\.origin).filter { $0.line == nil }.map(\.node)
    if let latest = callers.first { add(latest) }
    for key in desk.configured.values.sorted(by: { $0.name < $1.name }) {
      for target in key.targets {
        guard let (audience, nodes) = book.audience(of: target, among: directory.members) else {
          continue
        }
        list.add(audience, nodes)
      }
    }
    for caller in callers.dropFirst() { add(caller) }
    for case .member(let node) in callDesk.outgoing.keys.sorted(by: CallTarget.isBefore) {
      add(node)
    }
    return list.wishes
  }

  /// The lines that this node is on, by the places that the media path has for them.
  public var places: [Int: LineName] { own.places }

  /// Whom the sound goes to, and of whom what is played.
  public var routing: LineRouting {
    let talk = talk
    var gains: [LineName: Float] = [:]
    // Once for all members: names may be slow to compare, and this follows each message.
    var numbers: [LineName: Int] = [:]
    for (number, line) in own.byNumber { numbers[line.name] = number }
    for line in own.byNumber.values where listens(to: line.name, talk) {
      gains[line.name] = Float(pow(10, line.levelDecibels / 20))
    }
    func member(_ record: LineRecord) -> LineRouting.Member {
      var addressed: LineSet = [.everyone, .announcement]
      for name in record.lines.values {
        if let number = numbers[name] { addressed.insert(line: number) }
      }
      var member = LineRouting.Member(
        addressed: addressed,
        gains: (0..<LineSet.capacity).map { number in
          number == LineSet.announcementNumber
            ? 1 : record.line(number).flatMap { gains[$0] } ?? 0
        },
        priorities: (0..<LineSet.capacity).map { number in
          number == LineSet.announcementNumber
            ? EarSettings.announcementPriority
            : record.line(number).map { ear.priority(of: $0) } ?? EarSettings.usualPriority
        })
      member.places = (0..<LineSet.announcementNumber).map { number in
        record.line(number).flatMap { numbers[$0] }
      }
      if !ear.linePans.isEmpty {
        member.pans = (0..<LineSet.announcementNumber).map { number in
          record.line(number).map { Float(ear.pan(of: $0)) } ?? 0
        }
      }
      return member
    }
    var routing = LineRouting()
    routing.talk = talkSet(talk)
    routing.isUntreated = talk.effect.isUntreated
    routing.audiences = Set(talk.audiences.keys)
    routing.isCalled = callDesk.stack.contains(where: \.isRinging)
    routing.tellsLines = own.byNumber.count > 1 || talk.isAnnouncing
    routing.ear = ear
    routing.others = member(LineRecord(version: version))
    routing.guests = guests.mapValues { own.set(of: guestLines($0)) }
    routing.inputs = inputs.mapValues { own.set(of: $0) }
    routing.ownGains = (0..<LineSet.capacity).map { number in
      own.byNumber[number].flatMap { gains[$0.name] } ?? 0
    }
    routing.ownPriorities = (0..<LineSet.capacity).map { number in
      own.byNumber[number].map { ear.priority(of: $0.name) } ?? EarSettings.usualPriority
    }
    (routing.privateLines, routing.ports) = (privateRouting(talk), portsByPlace)
    for node in directory.members {
      let member = member(directory.record(of: node))
      if member != routing.others { routing.members[node] = member }
    }
    return routing
  }

  private func privateRouting(_ talk: TalkPlan) -> [Audience: LineRouting.PrivateLine] {
    var routing: [Audience: LineRouting.PrivateLine] = [:]
    for (name, line) in own.privateLines {
      guard let audience = privates.audience(of: name), let place = own.place(of: name) else {
        continue
      }
      let gain: Double = listens(to: name, talk) ? pow(10, line.levelDecibels / 20) : 0
      routing[audience] = LineRouting.PrivateLine(
        members: Set(privates.people(on: name)), gain: Float(gain),
        priority: ear.priority(of: name), place: place, pan: Float(ear.pan(of: name)))
    }
    return routing
  }

  /// How often a key of the assistant went down.
  public var assistantPresses: Int { desk.assistantPresses }

  /// The lines that a guest talks to: by keys that talk, or those that it is on.
  func guestLines(_ talk: GuestTalk) -> Set<LineName> {
    guard case .keys(let names) = talk else {
      guard case .lines(let lines) = talk else { return [] }
      return lines.intersection(own.names)
    }
    let keys = desk.keys(on: own.names).filter { names.contains($0.name) && $0.activation.talks }
    return Set(keys.flatMap { $0.lines(among: own.names) }).intersection(own.names)
  }

  /// What is to be kept.
  public var settings: LineSettings {
    let lines = own.byNumber.values.sorted { $0.name < $1.name }
      .filter { $0.name != .all || !$0.isListening || $0.levelDecibels != 0 }
    var settings = LineSettings(
      lines: lines.map {
        LineSettings.Line(
          name: $0.name, isListening: $0.isListening, levelDecibels: $0.levelDecibels)
      }, keys: desk.configured.values.sorted { $0.name < $1.name })
    (settings.ear, settings.operators) = (ear, operators)
    settings.displays = own.displays
    settings.privateLines = privates.lines.sorted { $0.key < $1.key }.compactMap { name, line in
      own.privateLines[name].map {
        LineSettings.PrivateLine(
          name: name, isListening: $0.isListening, levelDecibels: $0.levelDecibels, id: line.id,
          roster: line.roster)
      }
    }
    return settings
  }

  /// All lines of the group, `all` first; of more than may be those that this node is on, and the first others.
  public var lines: [LineView] {
    let (talk, ports) = (talk, ports)
    let all = directory.people
    let views = allNames.prefix(LineLimits.lines + 1).map { name in
      let isPrivate = own.privateLines[name] != nil
      let people =
        isPrivate
        ? (privates.people(on: name), privates.talkers(on: name)) : all[name] ?? ([], [])
      let line = own.line(name)
      var view = LineView(
        name: name, isJoined: line != nil, isSetListening: line?.isListening ?? false,
        isListening: listens(to: name, talk), isTalking: talk.lines.contains(name),
        levelDecibels: line?.levelDecibels ?? 0, priority: ear.priority(of: name),
        members: people.0, talkers: people.1)
      (view.isPrivate, view.pan, view.port) = (isPrivate, ear.pan(of: name), ports[name])
      view.display = own.displays[name]?.text ?? name.shortened
      if isPrivate { view.invited = privates.invited(to: name) }
      view.privateID = privates.lines[name]?.id
      return view
    }
    return privates.invitations.reduce(into: views) { views, invitation in
      // A name stands once.
      if let index = views.firstIndex(where: { $0.name == invitation.name }) {
        views[index].invitedBy = invitation.from
      } else {
        views.append(LineView(invitation))
      }
    }
  }

  /// All keys, by name.
  public var keys: [KeyView] {
    let people = directory.people
    return desk.keys(on: own.names).map { (key: Key) -> KeyView in
      let state = desk.state(of: key.name)
      let lines = key.lines(among: own.names)
      var talkers = Set(talkers(of: key))
      for line in lines {
        let isPrivate = own.privateLines[line] != nil
        talkers.formUnion(isPrivate ? privates.talkers(on: line) : people[line]?.talkers ?? [])
      }
      return KeyView(
        key: key, isSet: desk.configured[key.name] != nil, isHeld: state.isHeld,
        isLatched: state.isLatched, isTalking: desk.talks(key),
        isListening: desk.listens(key) || lines.contains { own.line($0)?.isListening == true },
        isCalled: callDesk.stack.contains { $0.isRinging && isOf($0.origin, key) },
        talkers: talkers.sorted(), latchRefusedBy: latchRefuser(of: key))
    }
  }

  /// Whether a call comes from a key's target.
  private func isOf(_ origin: CallOrigin, _ key: Key) -> Bool {
    key.targets.contains { target in
      switch target {
      case .reply: true
      case .line(let line): origin.line == line
      case .member(let name):
        origin.line == nil && book.node(name) == origin.node
      case .allLines: origin.line != nil
      case .group, .announcement, .assistant: false
      }
    }
  }

  /// Who of a key's targets talks to this node, but for lines.
  private func talkers(of key: Key) -> Set<NodeID> {
    key.targets.reduce(into: []) { talkers, target in
      switch target {
      case .line, .allLines, .assistant: break
      case .announcement: talkers.formUnion(directory.announcers)
      case .group(let group):
        talkers.formUnion((book.groups[group] ?? []).filter(callDesk.talksToGroup))
      case .member, .reply:
        talkers.formUnion(
          callDesk.stack.filter { $0.isTalking && isOf($0.origin, key) }.map(\.origin.node))
      }
    }
  }

  /// The key that answers calls: the one that is set for nothing else, or the one that comes with a call.
  public var replyKeyName: KeyName {
    desk.keys(on: own.names).first { $0.targets == [.reply] }?.name ?? .reply
  }

  /// All calls.
  public var calls: CallsView {
    CallsView(
      incoming: callDesk.stack, answering: callDesk.answering,
      outgoing: callDesk.outgoing.values.sorted { CallTarget.isBefore($0.target, $1.target) },
      announcers: directory.announcers)
  }
}

extension LineView {
  /// A private line that this node is invited to.
  fileprivate init(_ invitation: PrivateInvitation) {
    self.init(
      name: invitation.name, isJoined: false, isSetListening: false, isListening: false,
      isTalking: false, levelDecibels: 0, priority: EarSettings.usualPriority, members: [],
      talkers: [])
    (isPrivate, invitedBy, display) = (true, invitation.from, name.shortened)
  }
}

extension CallTarget {
  /// Some order that is always the same.
  static func isBefore(_ one: CallTarget, _ other: CallTarget) -> Bool {
    switch (one, other) {
    case (.member(let one), .member(let other)): one < other
    case (.line(let one), .line(let other)): one < other
    case (.member, .line): true
    case (.line, .member): false
    }
  }
}
