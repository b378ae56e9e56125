public import Cryptography

/// Sessions of captions that somebody hosts under a name: announced to all, read by those who join, and gone on with by
/// another member where the host is gone.
///
/// Sans-I/O as ``CaptionDesk``, beside which it is: one call at a time, all times of one steady clock.
///
/// **One writer a part.** All of a part comes from its host, who signs it. So whoever holds it can hand it to who comes
/// later, or to the host itself after a restart, and nobody can put words into it. A session that is continued gets
/// another part. Readers take versions of chunks by a rule that knows no order, and hosts never write into each other's
/// parts: transcripts become equal, each chunk is there once.
///
/// **Who hosts.** Of several parts that go on, as after a split of the network, the first holds: the others' hosts hand
/// over. So a host that is back has its session, and nobody can take it from one that is here.
///
/// **Healing.** Each node tells what it has with a digest: a host to all, each 20 s; the others what its host cannot
/// tell, to those whose digest is another. Who lacks something says what it has, and gets the rest.
///
/// **Relative time.** Chunks and hand-overs count from the beginning of the session; no two clocks need agree.
public struct HostedSessions: Sendable {
  /// What was refused of others, by reason.
  public internal(set) var faults: [CaptionFault: Int] = [:]
  /// Sessions that this node's user joined.
  public internal(set) var joined: [CaptionSessionKey: UInt32] = [:]
  /// The part that this node writes; nil: it hosts nothing.
  public internal(set) var hosting: CaptionSessionKey?
  /// Whether this node captions for members who read.
  public internal(set) var offersCaptions = false

  let signer: CaptionSigner
  let run: UInt64
  var shelf = SessionShelf()
  var reach = SessionReach()
  var posts: [NodeID: HostedPost] = [:]
  var early = EarlyFrames()
  var states: [CaptionSessionKey: SessionState] = [:]
  /// The part that a session had when it was live last, and when that was lost.
  var lastLive: [CaptionSessionKey: (part: CaptionSessionKey, lostNanoseconds: Int64?)] =
    [:]
  var asked: [CaptionSessionKey: Int64] = [:]
  var ownBatteryPercent: UInt8?
  var nextNumber: UInt64
  var nextIndex: UInt32 = 0
  var woken: Set<NodeID> = []
  var events: [HostedEvent] = []
  var offerNanoseconds: Int64 = .min
  /// When it is told what was read.
  var rollNanoseconds: Int64 = .max

  var own: NodeID { signer.node }

  /// Whether a frame of the lane's channel of captions is of hosted sessions; else it is ``CaptionDesk``'s.
  public static func takes(_ octets: [UInt8]) -> Bool { HostedFrame.isKind(of: octets) }

  /// - Parameter instance: the number of the node's start, higher than those before.
  public init(instance: UInt64, signer: CaptionSigner) {
    (run, self.signer) = (instance, signer)
    // Beside those of the desk of captions.
    nextNumber = (instance & 0xFFFF_FFFF) << 20 | 1 << 19
  }

  /// What happened since the last call.
  public mutating func takeEvents() -> [HostedEvent] {
    defer { events = [] }
    return events
  }

  /// Members that there may be something for since the last call.
  public mutating func takeWoken() -> Set<NodeID> {
    defer { woken = [] }
    return woken
  }

  // MARK: What is shown

  /// All sessions that are known, those that go on first.
  public var views: [HostedView] {
    shelf.sessions.compactMap(view).sorted {
      ($0.state == .live ? 0 : 1, $0.session) < ($1.state == .live ? 0 : 1, $1.session)
    }
  }

  /// A session as it is shown; nil: it is not known.
  public func view(_ session: CaptionSessionKey) -> HostedView? {
    let parts = shelf.parts(of: session)
    guard let last = host(of: session) ?? parts.last, let state = states[session] else {
      return nil
    }
    let seats = posts.compactMapValues { post in
      post.roll?.seats.first { $0.session == session }?.readMilliseconds
    }
    let host = last.bill.part.captioner
    return HostedView(
      session: session, parts: parts.map(\.bill.part), name: last.bill.name, hostNode: host,
      host: last.bill.host, line: last.bill.line, isSolo: last.bill.isSolo, state: state,
      isOwn: hosting != nil && last.bill.part == hosting, isJoined: joined[session] != nil,
      listeners: seats, chunks: parts.reduce(0) { $0 + $1.transcript.chunks.count },
      lastMilliseconds: parts.lazy.flatMap { $0.transcript.chunks.values }
        .map(\.startMilliseconds).max() ?? 0,
      batteryPercent: state != .live
        ? nil : host == own ? ownBatteryPercent : posts[host]?.batteryPercent)
  }

  /// A part; nil: it is not held.
  public func transcript(ofPart part: CaptionSessionKey) -> CaptionTranscript? {
    shelf.parts[part]?.transcript
  }

  /// A chunk of a part as it is shown: without words that a host before wrote down at the same time; nil: all of them.
  public func shown(_ index: UInt32, ofPart part: CaptionSessionKey) -> CaptionChunk? {
    shelf.parts[part]?.transcript.chunks[index].flatMap { shelf.shown($0, of: part) }
  }

  /// The session that a part belongs to.
  public func session(ofPart part: CaptionSessionKey) -> CaptionSessionKey? {
    shelf.parts[part]?.bill.session
  }

  /// All that is held of a session, as one.
  public func transcript(of session: CaptionSessionKey) -> CaptionTranscript? {
    shelf.merged(session)
  }

  /// Members that caption for who reads.
  public var captioners: Set<NodeID> {
    Set(posts.filter { $0.value.roll?.offersCaptions == true }.keys)
  }

  func isLive(_ part: SessionPart) -> Bool {
    let key = part.bill.part
    guard part.bill.ending == .open else { return false }
    return key.captioner == own
      ? hosting == key : posts[key.captioner]?.told[key]?.isHosting == true
  }

  /// The part whose host is the session's now.
  func host(of session: CaptionSessionKey) -> SessionPart? {
    shelf.parts(of: session).first(where: isLive)
  }

  // MARK: Members

  /// A node is a member, and can be sent to.
  public mutating func join(_ node: NodeID, nowNanoseconds now: Int64) {
    guard node != own else { return }
    var post = HostedPost()
    post.places = posts[node]?.places ?? []
    posts[node] = post
    for part in shelf.parts.keys { posts[node]?.owe(noticeOf: part) }
    woken.insert(node)
    for octets in early.take(node) {
      take(octets, from: node, nowNanoseconds: now) { _ in nil }
    }
  }

  /// A node is no member for now.
  public mutating func leave(_ node: NodeID, nowNanoseconds now: Int64) {
    early.forget(node)
    guard posts.removeValue(forKey: node) != nil else { return }
    refreshAll(nowNanoseconds: now)
    // What its host can tell no more, the others tell each other.
    for (key, part) in shelf.parts where part.bill.part.captioner == node { owe(noticeOf: key) }
  }

  /// Takes where a member hears, and the groups that it shares with this node.
  public mutating func follow(
    _ node: NodeID, hears places: Set<CaptionPlace>, in groups: Set<String>
  ) {
    reach.note(groups, of: node)
    guard let post = posts[node], post.places != places else { return }
    posts[node]?.places = places
    for part in shelf.parts.keys { posts[node]?.owe(noticeOf: part) }
    woken.insert(node)
  }

  /// Takes the groups of this node, and the only one that it is in, if it is in one.
  public mutating func follow(ownGroups: Set<String>, only: String?) {
    reach.note(ownGroups, of: own)
    reach.only = only
  }

  /// Takes how full this machine's battery is; nil: it has none, or power from outside.
  public mutating func follow(batteryPercent: UInt8?, nowNanoseconds now: Int64) {
    let former = ownBatteryPercent
    ownBatteryPercent = batteryPercent
    guard let hosting, let session = session(ofPart: hosting),
      let percent = batteryPercent, percent <= CaptionLimits.lowBatteryPercent,
      former ?? 100 > CaptionLimits.lowBatteryPercent
    else { return }
    mark("the battery of the host is low, \(percent) %", nowNanoseconds: now)
    events.append(.news(session, .batteryLow(percent)))
    owe(noticeOf: hosting)
  }

  /// This node captions for members who read, or no more.
  public mutating func follow(offersCaptions: Bool) {
    guard offersCaptions != self.offersCaptions else { return }
    self.offersCaptions = offersCaptions
    oweRolls()
  }

  mutating func owe(noticeOf part: CaptionSessionKey) {
    for node in posts.keys {
      posts[node]?.owe(noticeOf: part)
      woken.insert(node)
    }
  }

  mutating func oweRolls() {
    for node in posts.keys {
      posts[node]?.oweRoll()
      woken.insert(node)
    }
  }

  // MARK: The reader

  /// This node's user joins a session: its history comes at once, then the rest.
  public mutating func join(
    session: CaptionSessionKey, nowNanoseconds now: Int64
  ) throws(HostedError) {
    guard shelf.sessions.contains(session) else { throw .unknown }
    guard joined[session] == nil else { return }
    if joined.count >= CaptionLimits.seats {
      guard let over = joined.keys.filter({ states[$0] == .over }).min() else { throw .tooMany }
      joined[over] = nil
    }
    joined[session] = 0
    for part in shelf.parts(of: session) { ask(for: part, nowNanoseconds: now) }
    oweRolls()
  }

  mutating func ask(for part: SessionPart, nowNanoseconds now: Int64) {
    let key = part.bill.part
    guard hosting != key else { return }
    let told = posts.compactMapValues { $0.told[key] }
    let host = told[key.captioner]?.isHosting == true ? key.captioner : nil
    // The others' first, of those who have most.
    let most = told.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    guard let source = host ?? most?.key else { return }
    asked[key] = now
    posts[source]?.want(key)
    woken.insert(source)
  }

  /// This node's user leaves a session; what they read stays to be read.
  public mutating func leave(session: CaptionSessionKey) throws(HostedError) {
    guard joined[session] != nil else { throw .notJoined }
    if let hosting, self.session(ofPart: hosting) == session { throw .isHosting }
    joined[session] = nil
    oweRolls()
  }

  /// The user read up to there, since the session began; told to all, a little later.
  public mutating func note(
    readMilliseconds: UInt32, of session: CaptionSessionKey, nowNanoseconds now: Int64
  ) {
    guard let former = joined[session], readMilliseconds > former else { return }
    joined[session] = readMilliseconds
    rollNanoseconds = min(rollNanoseconds, now + CaptionLimits.readNanoseconds)
  }

  // MARK: Time

  /// When ``tick(nowNanoseconds:)`` is due; `Int64.max`: not.
  public var nextDeadlineNanoseconds: Int64 {
    let offer = shelf.parts.isEmpty && joined.isEmpty ? Int64.max : offerNanoseconds
    return posts.values.reduce(min(offer, rollNanoseconds)) { min($0, $1.deadlineNanoseconds) }
  }

  /// What is due by then happens.
  public mutating func tick(nowNanoseconds now: Int64) {
    if now >= offerNanoseconds {
      offerNanoseconds = now + CaptionLimits.offerNanoseconds
      for key in shelf.parts.keys { owe(noticeOf: key) }
    }
    if now >= rollNanoseconds {
      rollNanoseconds = .max
      oweRolls()
    }
    for (node, post) in posts where now >= post.deadlineNanoseconds {
      posts[node]?.endPause()
      woken.insert(node)
    }
  }
}
