import Audio
import Cryptography
import EventLoop
import Habits
import Lines
import Media
import Mesh
import RTP

/// Who is a member, with which keys and by which paths: how members come, are told apart, move and go.
///
/// A ``Session`` is connected by the first of its paths that is confirmed,
/// and moves to another one that it is heard by.
///
/// Loop thread only; but for reports, rare, and may allocate.
final class Roster {
  private let configuration: IntercomConfiguration
  let identity: Identity
  private let outlet: PacketOutlet
  private let protection: MediaProtection
  private let capture: CapturePath
  private let repair: RepairDesk
  private let streams: StreamDesk
  private let mix: MixBook
  private let lines = LineTable()
  private let agenda = SessionAgenda()
  private let drops: DatagramDrops
  private let report: @Sendable (IntercomEvent) -> Void
  /// What must not be guessed: the origins of reference times.
  private var random: any RandomNumberGenerator
  private var admissions = AdmissionBudget()
  private(set) var sessions: SessionTable
  /// Those that are heard and hear.
  private(set) var connected: [Session] = []
  /// What this node calls itself now.
  private(set) var ownName: String
  private(set) var names: MemberNames
  /// Told of each change of what members are called; must not block.
  var namesChanged: @Sendable () -> Void = {}

  init(
    configuration: IntercomConfiguration, identity: Identity, outlet: PacketOutlet,
    protection: MediaProtection, capture: CapturePath, repair: RepairDesk, streams: StreamDesk,
    mix: MixBook,
    drops: DatagramDrops, random: any RandomNumberGenerator,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.configuration, self.identity, self.outlet) = (configuration, identity, outlet)
    (self.capture, self.repair, self.streams) = (capture, repair, streams)
    (self.mix, self.drops, self.random, self.report) = (mix, drops, random, report)
    self.protection = protection
    sessions = SessionTable(capacity: configuration.maximumPeers)
    connected.reserveCapacity(configuration.maximumPeers)
    ownName = configuration.name
    names = MemberNames(configuration.nameMemory)
  }

  /// Lets a member's sound in as soon as its key came, and tries its addresses;
  /// again: another name, or other addresses.
  ///
  /// - Returns: false where there is no room for one more.
  func admit(_ member: Member, nowNanoseconds: Int64) -> Bool {
    guard let session = session(of: member, nowNanoseconds: nowNanoseconds) else { return false }
    let added = session.follow(member)
    session.hasten()
    for path in session.paths where !session.toldAddresses.contains(path.address) {
      path.tell(false)
      if path.state == .told { sessions.remove(path, of: session) }
    }
    if !session.name.isEmpty { followName(of: session, nowNanoseconds: nowNanoseconds) }
    for address in added {
      addPath(to: address, of: session, isTold: true, nowNanoseconds: nowNanoseconds)
    }
    return true
  }

  private func session(of member: Member, nowNanoseconds: Int64) -> Session? {
    if let known = sessions[member.node] { return known }
    guard sessions.all.count < configuration.maximumPeers else {
      drops.count(.refusedPeer)
      report(.tooManyPeers(name: member.profile.name, maximum: configuration.maximumPeers))
      return nil
    }
    let session = Session(member, nowNanoseconds: nowNanoseconds, on: agenda)
    session.settings = mix.settings(of: member.node)
    session.follow(lines.lines(of: member.node))
    for case let stream? in protection.streams { session.follow(stream) }
    sessions.add(session)
    return session
  }

  /// Silences a node that is a member no more, and forgets its keys and addresses; its settings stay.
  func expel(_ node: NodeID, saidGoodbye: Bool) {
    guard let session = sessions[node] else { return }
    if let path = session.active { disconnect(session, from: path, saidGoodbye: saidGoodbye) }
    sessions.remove(session)
  }

  /// Takes a key of a member's stream, its first or its next.
  ///
  /// One that is not newer than the one before, as connections that take each other's place bring it again,
  /// changes nothing. One of another SSRC is another stream in the place of the one before; but the stream that reports
  /// go by stays for as long as the session.
  ///
  /// - Returns: false where it is not a member, or its SSRC is another's or not the one before.
  @discardableResult
  func install(_ key: consuming ReceivedKey, of node: NodeID, nowNanoseconds: Int64) -> Bool {
    guard let session = sessions[node] else { return false }
    let identity = key.identity
    let keys: ReceivingKeys
    if let known = session.keys(number: identity.stream), known.ssrc == identity.ssrc {
      keys = known
    } else {
      let known = session.keys(number: identity.stream)
      if let known {
        guard known.number != 0 else { return false }
        guard identity.epoch > known.newestEpoch ?? 0 else { return true }
      }
      guard !protection.isOwn(identity.ssrc), sessions.isFree(identity.ssrc) else {
        drops.count(.takenSSRC)
        report(.ssrcTaken(name: session.told.profile.name))
        return false
      }
      if let known { end(known, of: session) }
      keys = sessions.bind(identity, to: session)
      if keys.number != 0 {
        for path in session.paths { path.reports.expect(SSRC(rawValue: keys.ssrc)) }
      }
    }
    session.hasten()
    if keys.add(key.key, of: identity, nowNanoseconds: nowNanoseconds) {
      // What it said before was of no use.
      introduce(to: session, nowNanoseconds: nowNanoseconds)
    }
    openStreams(of: session)
    return true
  }

  /// A stream of a member is over for this node; the one that reports go by never is.
  func endStream(_ number: Int, of node: NodeID) {
    guard number != 0, let session = sessions[node], let keys = session.keys(number: number)
    else { return }
    end(keys, of: session)
  }

  private func end(_ keys: ReceivingKeys, of session: Session) {
    if let stream = session.removeStream(keys.number) { streams.close(stream) }
    for path in session.paths { path.reports.forget(SSRC(rawValue: keys.ssrc)) }
    sessions.release(keys, of: session)
  }

  /// As loud as what is for all, until its packets say more.
  private func begin(_ stream: HeardStream, of session: Session) {
    session.add(stream)
    session.take(nil, for: stream)
  }

  /// Opens the streams of a connected session that are not heard yet, while there are places.
  private func openStreams(of session: Session) {
    guard let path = session.active else { return }
    for keys in session.keys
    where session.stream(SSRC(rawValue: keys.ssrc)) == nil {
      guard let stream = streams.open(keys, for: path.address) else { return }
      begin(stream, of: session)
      streams.name(session)
      streams.applySettings(of: session)
      streams.tap(stream, of: session)
    }
  }

  /// Whether an SSRC is nobody's yet.
  func isFree(_ ssrc: SSRC) -> Bool {
    !protection.isOwn(ssrc.rawValue) && sessions.isFree(ssrc.rawValue)
  }

  /// An SSRC that is nobody's, and where the numbers of its packets begin.
  func drawStream() -> (ssrc: SSRC, firstSequenceNumber: SequenceNumber) {
    var ssrc = UInt32(truncatingIfNeeded: random.next())
    while protection.isOwn(ssrc) || !sessions.isFree(ssrc) {
      ssrc = UInt32(truncatingIfNeeded: random.next())
    }
    let first = UInt16(truncatingIfNeeded: random.next())
    return (SSRC(rawValue: ssrc), SequenceNumber(rawValue: first))
  }

  /// A stream of this node opens, has another audience, or is over.
  func follow(_ stream: OwnStream, isOver: Bool = false) {
    for session in sessions.all { session.follow(stream, isOver: isOver) }
  }

  /// Lets a member that is not heard hear of this node soon.
  private func introduce(to session: Session, nowNanoseconds: Int64) {
    guard !session.isConnected else { return }
    session.hasten()
    for path in session.paths { path.reports.introduce(nowNanoseconds: nowNanoseconds) }
  }

  /// The network changed: whoever is not heard may be in reach now.
  func introduceToMembers(nowNanoseconds: Int64) {
    for session in sessions.all { introduce(to: session, nowNanoseconds: nowNanoseconds) }
  }

  /// The path by which an authentic datagram of a member came; a new one if there is room.
  ///
  /// Nil: the address is another member's, or too many new ones came this second.
  func path(from address: SocketAddress, of session: Session, nowNanoseconds: Int64) -> Path? {
    if let path = session.path(to: address) { return path }
    guard sessions.owner(of: address)?.path(to: address)?.state ?? .told == .told,
      admissions.take(nowNanoseconds: nowNanoseconds)
    else {
      drops.count(.refusedPeer)
      return nil
    }
    let path = addPath(
      to: address, of: session, isTold: false, nowNanoseconds: nowNanoseconds)
    path?.answers()
    return path
  }

  /// Adds a path of a member, in place of an unheard one of another where there is one.
  @discardableResult
  private func addPath(
    to address: SocketAddress, of session: Session, isTold: Bool, nowNanoseconds: Int64
  ) -> Path? {
    if let known = session.path(to: address) {
      if isTold { known.tell(true) }
      return known
    }
    if let owner = sessions.owner(of: address), let other = owner.path(to: address) {
      guard other.state == .told else { return nil }
      sessions.remove(other, of: owner)
    }
    if session.paths.count >= Session.mostAddresses {
      guard let stalest = session.stalest else { return nil }
      sessions.remove(stalest, of: session)
    }
    streams.prepare()
    let reports = PeerReports(
      ssrc: identity.ssrc, canonicalName: identity.canonicalName, name: ownName,
      seed: random.next())
    let path = Path(
      to: address, isTold: isTold, reports: reports, nowNanoseconds: nowNanoseconds)
    reports.introduce(nowNanoseconds: nowNanoseconds)
    for case let stream? in protection.streams where session.hears(stream.number) {
      reports.open(stream.ssrc)
    }
    for keys in session.keys where keys.number != 0 { reports.expect(SSRC(rawValue: keys.ssrc)) }
    sessions.add(path, to: session)
    if session.name.isEmpty { name(session) }
    return path
  }

  /// Takes a member's compound of reports that came by a path.
  func take(
    _ bytes: RawSpan, of session: Session, by path: Path, nowNanoseconds: Int64
  ) throws(RTPParseError) {
    session.hasten()
    let events = try path.reports.handle(bytes, nowNanoseconds: nowNanoseconds)
    if !path.reports.wasEchoed {
      // It has lost us, maybe, and has yet to get our key: one answer might be none. Where we hear it already by
      // another of its addresses, this one may never be echoed.
      if session.isConnected {
        path.reports.answer(nowNanoseconds: nowNanoseconds)
      } else {
        path.reports.introduce(nowNanoseconds: nowNanoseconds)
      }
    }
    path.answers()
    if path.reports.isConfirmed { connect(session, by: path) }
    if path === session.active {
      if events.contains(.lossesTold) {
        repair.followLosses(of: session, among: connected, nowNanoseconds: nowNanoseconds)
      }
      followName(of: session, nowNanoseconds: nowNanoseconds)
    }
    reportIfDue(to: session, by: path, nowNanoseconds: nowNanoseconds)
    confirmOthers(of: session, but: path, by: bytes, nowNanoseconds: nowNanoseconds)
  }

  /// A member answers by whichever address its kernel chooses: what it echoes proves the address that it was sent to.
  private func confirmOthers(
    of session: Session, but heard: Path, by bytes: RawSpan, nowNanoseconds: Int64
  ) {
    for path in session.paths where path !== heard {
      guard path.reports.confirm(byEchoIn: bytes, nowNanoseconds: nowNanoseconds),
        !session.isConnected
      else { continue }
      path.answers()
      connect(session, by: path)
    }
  }

  private func connect(_ session: Session, by path: Path) {
    guard !session.isConnected, let keys = session.keys(number: 0),
      let stream = streams.open(keys, for: path.address)
    else { return }
    begin(stream, of: session)
    session.go(by: path, with: repair.makeSession())
    name(session)
    streams.applySettings(of: session)
    streams.tap(stream, of: session)
    openStreams(of: session)
    connectedChanged()
    report(
      .peerConnected(
        name: session.name, address: path.address, port: streams.port(of: session)))
  }

  /// Connects those whom no stream was ready for.
  func connectWaiting() {
    guard streams.awaitsStream else { return }
    streams.forgetWaiting()
    for session in sessions.all {
      let path = session.paths.first { $0.state == .heard && $0.reports.isConfirmed }
      if session.isConnected {
        openStreams(of: session)
      } else if let path {
        connect(session, by: path)
      }
      if streams.awaitsStream { return }
    }
  }

  /// Takes a connected member's sound, ports and places in the mix away.
  private func disconnect(_ session: Session, from path: Path, saidGoodbye: Bool) {
    mix.remember(session.settings, of: session.node)
    for stream in session.disconnect() { streams.close(stream) }
    connectedChanged()
    if connected.isEmpty { repair.forgetNarrowWays() }
    report(
      .peerLeft(
        name: session.name, address: path.address, saidGoodbye: saidGoodbye))
  }

  private func connectedChanged() {
    connected.removeAll(keepingCapacity: true)
    for session in sessions.all where session.isConnected { connected.append(session) }
    repair.regroup(connected)
  }

  /// Lets a session go by the path that it is heard by now.
  private func follow(_ session: Session, nowNanoseconds: Int64) {
    guard let old = session.active,
      let new = session.takeBetterPath(nowNanoseconds: nowNanoseconds)
    else { return }
    session.go(by: new, with: repair.makeSession())
    repair.regroup(connected)
    report(
      .peerMoved(
        name: session.name, from: old.address, to: new.address))
  }

  /// Reports that are due, members that fell silent or moved, keys whose time is over: of those sessions alone that
  /// have something due, or of which something happened.
  func keepHouse(nowNanoseconds: Int64) {
    streams.buses.openLines()
    // Those who are heard are brought to like loudness and put in their places, where that is wanted.
    streams.level(connected)
    streams.place(connected)
    guard agenda.isDue(nowNanoseconds: nowNanoseconds) else { return }
    agenda.begin()
    for session in sessions.all {
      if session.dueNanoseconds <= nowNanoseconds {
        keepHouse(of: session, nowNanoseconds: nowNanoseconds)
        session.rest(nowNanoseconds: nowNanoseconds)
      }
      agenda.note(session.dueNanoseconds)
    }
  }

  private func keepHouse(of session: Session, nowNanoseconds: Int64) {
    let quiet = nowNanoseconds - session.heardNanoseconds
    if let path = session.active, quiet > Path.Limit.goneNanoseconds {
      disconnect(session, from: path, saidGoodbye: false)
      leave(path, of: session)
    }
    for path in session.paths {
      reportIfDue(to: session, by: path, nowNanoseconds: nowNanoseconds)
      if path !== session.active,
        path.isGone(isSpare: session.isConnected, nowNanoseconds: nowNanoseconds)
      {
        leave(path, of: session)
      }
    }
    follow(session, nowNanoseconds: nowNanoseconds)
    session.dropOldKeys(nowNanoseconds: nowNanoseconds)
  }

  /// Nothing comes from there any more.
  private func leave(_ path: Path, of session: Session) {
    path.forget()
    if !path.isTold { sessions.remove(path, of: session) }
  }

  /// Sends a compound report if its time has come (or the member just made contact).
  private func reportIfDue(to session: Session, by path: Path, nowNanoseconds: Int64) {
    let isActive = path === session.active
    if isActive, session.streams.contains(where: \.isNewlyLate) {
      path.reports.hurry(nowNanoseconds: nowNanoseconds)
    }
    guard nowNanoseconds >= path.reports.nextReportNanoseconds else { return }
    let timestamp = capture.currentTimestamp
    outlet.sendReport(to: path.address) {
      path.reports.makeReport(nowNanoseconds: nowNanoseconds, into: &$0) { ssrc in
        let stream = protection.stream(of: ssrc)
        let sent: (packets: Int, octets: Int) =
          isActive ? stream.map { session.sent($0.number) } ?? (0, 0) : (0, 0)
        return SenderCounters(
          packets: sent.packets, payloadOctets: sent.octets,
          currentTimestamp: stream?.currentTimestamp ?? timestamp)
      } losses: { ssrc in
        isActive ? session.stream(ssrc)?.takeLossReport() : nil
      }
    }
  }

  /// Takes rates and quality of the time since the last look.
  func measure(elapsedNanoseconds: Int64) {
    for session in connected {
      for stream in session.streams {
        stream.measure(
          elapsedNanoseconds: elapsedNanoseconds, roundTrip: session.active?.reports.roundTrip)
      }
    }
  }

  /// Names a member and its ports after what it calls itself.
  private func name(_ session: Session) {
    let called = session.calledName
    let wish = PeerName.sanitized(called)
    changeNames { names in
      let name = names.name(of: session.node, wish: wish, isHere: { sessions[$0] != nil })
      session.take(name: name, madeOf: called)
    }
    streams.name(session)
  }

  /// A member may call itself otherwise, once a second; gain, pan and mute stay what they are.
  private func followName(of session: Session, nowNanoseconds: Int64) {
    if session.followsName(nowNanoseconds: nowNanoseconds) { name(session) }
  }

  /// Lets others have the name of a node that is no member: who has it with a number, has it without from now on.
  func freeName(of node: NodeID) {
    guard sessions[node] == nil else { return }
    var heir: NodeID?
    changeNames { names in heir = names.free(node, isHere: { sessions[$0] != nil }) }
    if let session = heir.flatMap({ sessions[$0] }), !session.name.isEmpty { name(session) }
  }

  private func changeNames(_ body: (inout MemberNames) -> Void) {
    let before = names.changeCount
    body(&names)
    if names.changeCount != before { namesChanged() }
  }

  /// Calls this node otherwise from now on, in its reports and its status.
  func rename(_ name: String) {
    ownName = name
    for session in sessions.all { for path in session.paths { path.reports.rename(name) } }
  }

  /// Follows which lines members are on, and which of theirs are heard.
  func follow(_ routing: LineRouting) {
    lines.take(routing)
    streams.follow(routing)
    for session in sessions.all {
      session.follow(lines.lines(of: session.node))
      for stream in session.streams {
        session.take(stream.lines, for: stream)
        streams.applyGain(of: stream, of: session)
      }
    }
  }

  /// Follows the lines that a packet of a stream is for; false: none of them is heard.
  func follow(_ lines: LineSet?, by stream: HeardStream, of session: Session) -> Bool {
    if lines != stream.lines {
      let former = (stream.lineGain, stream.linePan, stream.priority, stream.places)
      session.take(lines, for: stream)
      let isChanged = former != (stream.lineGain, stream.linePan, stream.priority, stream.places)
      // What still waits is played out as it was.
      if isChanged, stream.lineGain > 0 { streams.applyGain(of: stream, of: session) }
    }
    return stream.lineGain > 0
  }

  /// Changes the settings of the member that the user means by `name`.
  func change(_ name: String, _ body: (inout PeerSettings) -> Void) throws(IntercomError) {
    let session = try sessions.find(name)
    body(&session.settings)
    streams.applySettings(of: session)
    mix.remember(session.settings, of: session.node)
  }
}
