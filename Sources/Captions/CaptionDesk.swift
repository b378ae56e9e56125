public import Cryptography

/// A node's captions: its own session, if it captions, and those of other members.
///
/// Sans-I/O: one call at a time, all times of one steady clock. Whoever has the lanes tells who is on, hands it what
/// they say, and sends what it has for those whom ``takeWoken()`` names.
///
/// **One writer.** All of a session comes from its captioner, whose connection proves who it is; a reader takes a
/// version of a chunk by a rule that knows no order (``CaptionTranscript``). So transcripts become equal.
///
/// **Whoever comes** says hello. The captioner offers its session with how many chunks there are for this reader; who
/// has not all says which it has, and gets the rest, with what is said just now first. The offer comes again each 20 s,
/// so that whatever was lost is noticed.
///
/// **Consent.** Nobody is captioned before their node said that they do not refuse it.
public struct CaptionDesk: Sendable, CaptionSink {
  /// What was refused of others, by reason.
  public private(set) var faults: [CaptionFault: Int] = [:]
  /// Sessions, one's own among them.
  public private(set) var transcripts: [CaptionSessionKey: CaptionTranscript] = [:]
  /// Whether this node's user refuses to be captioned.
  public private(set) var refuses: Bool
  /// Grows with each change that is shown.
  public private(set) var revision: UInt64 = 0

  private let own: NodeID
  /// The number of this node's start.
  private let run: UInt64
  /// Since when the own user refuses.
  private var refusesSinceNanoseconds: Int64 = .min
  private var posts: [NodeID: ReaderPost] = [:]
  /// Whether those refuse who said so before they were members here.
  private var early: [NodeID: (refuses: Bool, run: UInt64)] = [:]
  private var session: OwnSession?
  private var nextNumber: UInt64
  private var totalBytes = 0
  /// The newest session of each captioner that the user forgot.
  private var cleared: [NodeID: UInt64] = [:]
  private var woken: Set<NodeID> = []
  private var events: [CaptionEvent] = []
  private var offerNanoseconds: Int64 = .max

  /// - Parameter instance: the number of the node's start, higher than those before.
  public init(own: NodeID, instance: UInt64, refuses: Bool = false) {
    (self.own, run, self.refuses) = (own, instance, refuses)
    nextNumber = (instance & 0xFFFF_FFFF) << 20
  }

  /// What happened since the last call.
  public mutating func takeEvents() -> [CaptionEvent] {
    defer { events = [] }
    return events
  }

  /// Members that there may be something for since the last call.
  public mutating func takeWoken() -> Set<NodeID> {
    defer { woken = [] }
    return woken
  }

  // MARK: Members

  /// A node is a member, and can be sent to.
  public mutating func join(_ node: NodeID, nowNanoseconds now: Int64) {
    guard node != own else { return }
    var post = ReaderPost()
    post.places = posts[node]?.places ?? []
    if let hello = early.removeValue(forKey: node) {
      post.hear(hello.refuses, run: hello.run, nowNanoseconds: now)
    }
    if let session { post.owe(offerOf: session.number) }
    posts[node] = post
    woken.insert(node)
  }

  /// A node is no member for now; what it was saying stays as it is.
  public mutating func leave(_ node: NodeID) {
    early[node] = nil
    guard posts.removeValue(forKey: node) != nil else { return }
    for key in transcripts.keys where key.captioner == node {
      guard transcripts[key]?.isLive == true else { continue }
      transcripts[key]?.isLive = false
      events.append(.session(key))
    }
    revision += 1
  }

  /// Takes where a member hears.
  public mutating func follow(_ node: NodeID, hears places: Set<CaptionPlace>) {
    guard let post = posts[node], post.places != places else { return }
    posts[node]?.places = places
    guard let session else { return }
    posts[node]?.owe(offerOf: session.number)
    woken.insert(node)
  }

  /// Whether somebody said that they do not refuse to be captioned.
  public func consents(_ node: NodeID) -> Bool {
    node == own ? !refuses : posts[node]?.consents == true
  }

  /// Since when somebody's user refuses, as far as is known; nil: they do not.
  public func refusesSinceNanoseconds(_ node: NodeID) -> Int64? {
    node == own && refuses
      ? refusesSinceNanoseconds : posts[node]?.refusesSinceNanoseconds
  }

  /// Members whose users refuse.
  public var refusers: [NodeID] {
    posts.filter { $0.value.refusesSinceNanoseconds != nil }.keys.sorted()
  }

  /// This node's user refuses to be captioned, or no more; all members are told.
  public mutating func setRefuses(_ refuses: Bool, nowNanoseconds now: Int64) {
    guard refuses != self.refuses else { return }
    (self.refuses, refusesSinceNanoseconds) = (refuses, now)
    if refuses { settleAll(of: own) }
    for node in posts.keys {
      posts[node]?.oweHello()
      woken.insert(node)
    }
    revision += 1
  }

  // MARK: The captioner

  /// The own session that goes on, or the last one.
  public var ownSession: CaptionSessionKey? {
    session.map { CaptionSessionKey(captioner: own, number: $0.number) }
  }

  /// Whether this node captions.
  public var isCaptioning: Bool { session?.isLive == true }

  /// Begins to caption; all members are told.
  ///
  /// - Parameter scope: what is captioned, for people.
  public mutating func begin(
    _ scope: String, nowNanoseconds now: Int64
  ) throws(CaptionError) {
    guard !isCaptioning else { throw .isOn }
    nextNumber += 1
    let key = CaptionSessionKey(captioner: own, number: nextNumber)
    session = OwnSession(number: nextNumber, beganNanoseconds: now)
    add(
      CaptionTranscript(
        key: key, scope: scope.cut(toBytes: CaptionLimits.nameBytes), beganNanoseconds: now))
    offerNanoseconds = now + CaptionLimits.offerNanoseconds
    offerAll()
    events.append(.session(key))
    revision += 1
  }

  /// Captions no more: what is partial stays as it is.
  public mutating func end() throws(CaptionError) {
    guard isCaptioning, let key = ownSession else { throw .isOff }
    settleAll()
    session?.isLive = false
    transcripts[key]?.isLive = false
    offerNanoseconds = .max
    offerAll()
    events.append(.session(key))
    revision += 1
  }

  /// Somebody began to say something, and this is the first that is known of it.
  ///
  /// - Parameters:
  ///   - places: where it is heard, and nowhere else read.
  ///   - began: when, of the same clock as ``begin(_:nowNanoseconds:)``.
  /// - Returns: by which number it goes on; nil: it is not to be captioned, or the session is full.
  public mutating func open(
    _ talker: CaptionTalker, in places: Set<CaptionPlace>, beganNanoseconds began: Int64,
    _ words: CaptionWords
  ) -> UInt32? {
    guard isCaptioning, consents(talker.node), let session,
      let index = self.session?.add(places)
    else { return nil }
    let start = max(0, began - session.beganNanoseconds) / 1_000_000
    put(
      CaptionChunk(
        index: index, talker, startMilliseconds: UInt32(clamping: start), words))
    return index
  }

  /// What is said is another text now; what was final stays.
  public mutating func update(_ index: UInt32, _ words: CaptionWords) {
    guard var chunk = ownChunk(index), !chunk.isFinal else { return }
    chunk.take(words)
    put(chunk)
  }

  /// Nothing more comes of it: what is known stays.
  public mutating func settle(_ index: UInt32) {
    guard var chunk = ownChunk(index), !chunk.isFinal else { return }
    chunk.revision += 1
    chunk.isFinal = true
    put(chunk)
  }

  /// Nothing more comes of what somebody is saying, or anybody.
  public mutating func settleAll(of talker: NodeID? = nil) {
    guard let key = ownSession else { return }
    let open = (transcripts[key]?.chunks ?? [:]).values.filter {
      !$0.isFinal && (talker == nil || $0.talker.node == talker)
    }
    for chunk in open { settle(chunk.index) }
  }

  private func ownChunk(_ index: UInt32) -> CaptionChunk? {
    ownSession.flatMap { transcripts[$0]?.chunks[index] }
  }

  private mutating func put(_ chunk: CaptionChunk) {
    guard let key = ownSession, let session, merge(chunk, into: key) else { return }
    let places = session.places(of: chunk.index)
    for (node, post) in posts where !post.places.isDisjoint(with: places) {
      posts[node]?.note(chunk.index, of: session.number)
      woken.insert(node)
    }
  }

  private mutating func offerAll() {
    guard let session else { return }
    for node in posts.keys {
      posts[node]?.owe(offerOf: session.number)
      woken.insert(node)
    }
  }

  // MARK: What comes

  /// Takes what a member said.
  public mutating func take(_ octets: [UInt8], from node: NodeID, nowNanoseconds now: Int64) {
    guard posts[node] != nil else { return takeEarly(octets, from: node) }
    do throws(CaptionFault) {
      switch try CaptionFrame(parsing: octets) {
      case .hello(let refuses, let run): hear(refuses, run, from: node, now)
      case .offer(let offer): try take(offer, from: node, now)
      case .want(let number, let ranges): give(number, but: ranges, to: node)
      case .chunks(let number, let chunks):
        let key = CaptionSessionKey(captioner: node, number: number)
        // As after a restart of this node, before it is offered.
        guard transcripts[key] != nil else { return faults[.unknownSession, default: 0] += 1 }
        for chunk in chunks { try take(chunk, of: key) }
      }
    } catch {
      refuse(error, of: node)
    }
  }

  /// What membership tells may come a little after what the member says: its offer comes again, its hello does not.
  private mutating func takeEarly(_ octets: [UInt8], from node: NodeID) {
    guard case .hello(let refuses, let run)? = try? CaptionFrame(parsing: octets) else { return }
    if early.count >= CaptionLimits.early { early = [:] }
    early[node] = (refuses, run)
  }

  private mutating func refuse(_ fault: CaptionFault, of node: NodeID) {
    faults[fault, default: 0] += 1
    events.append(.refused(from: node, fault))
  }

  private mutating func hear(_ refuses: Bool, _ run: UInt64, from node: NodeID, _ now: Int64) {
    posts[node]?.hear(refuses, run: run, nowNanoseconds: now)
    revision += 1
    if refuses { settleAll(of: node) }
    guard let session else { return }
    posts[node]?.owe(offerOf: session.number)
    woken.insert(node)
  }

  private mutating func take(
    _ offer: CaptionOffer, from node: NodeID, _ now: Int64
  ) throws(CaptionFault) {
    let key = CaptionSessionKey(captioner: node, number: offer.number)
    let began = now - Int64(offer.elapsedMilliseconds) * 1_000_000
    guard offer.isLive || offer.number > cleared[node] ?? 0 else { return }
    if transcripts[key] == nil {
      guard makeRoom(for: key) else { throw .full }
      add(CaptionTranscript(key: key, scope: offer.scope, beganNanoseconds: began))
      events.append(.session(key))
      revision += 1
    } else if transcripts[key]?.isLive != offer.isLive {
      events.append(.session(key))
      revision += 1
    }
    transcripts[key]?.take(isLive: offer.isLive, beganNanoseconds: began)
    guard let known = transcripts[key],
      known.chunks.count < offer.count || known.finalCount < offer.finals || !offer.isFollowed
    else { return }
    posts[node]?.want(offer.number, nowNanoseconds: now)
    woken.insert(node)
  }

  private mutating func take(
    _ chunk: CaptionChunk, of key: CaptionSessionKey
  ) throws(CaptionFault) {
    if let since = refusesSinceNanoseconds(chunk.talker.node),
      let began = transcripts[key]?.beganNanoseconds,
      began + Int64(chunk.startMilliseconds) * 1_000_000
        > since.saturating(adding: CaptionLimits.refusalNanoseconds)
    {
      throw .refuser
    }
    guard let growth = try transcripts[key]?.growth(by: chunk) else { return }
    while totalBytes + growth > CaptionLimits.totalBytes {
      guard forgetOldest(but: key) else { throw .full }
    }
    transcripts[key]?.put(chunk)
    totalBytes += growth
    events.append(.chunk(key, chunk.index))
    revision += 1
  }

  /// Merges an own chunk; false: there is no room.
  private mutating func merge(_ chunk: CaptionChunk, into key: CaptionSessionKey) -> Bool {
    do throws(CaptionFault) {
      try take(chunk, of: key)
      return true
    } catch {
      refuse(error, of: own)
      return false
    }
  }

  private mutating func give(
    _ number: UInt64, but held: [Range<UInt32>], to node: NodeID
  ) {
    guard let session, session.number == number, let key = ownSession,
      let transcript = transcripts[key], let post = posts[node]
    else { return }
    var isHeld = [Bool](repeating: false, count: CaptionLimits.chunks)
    for range in held { for index in range { isHeld[Int(index)] = true } }
    let missing = transcript.chunks.keys.sorted().filter { index in
      !isHeld[Int(index)] && !post.places.isDisjoint(with: session.places(of: index))
    }
    posts[node]?.follow(number, missing)
    woken.insert(node)
  }

  // MARK: Room

  private mutating func add(_ transcript: CaptionTranscript) {
    transcripts[transcript.key] = transcript
    let older = transcripts.keys.filter { $0.captioner == transcript.key.captioner }.sorted()
    for key in older.dropLast(CaptionLimits.sessionsPerCaptioner) { remove(key) }
  }

  /// Forgets the oldest session that is over where there are too many; false: all go on.
  private mutating func makeRoom(for key: CaptionSessionKey) -> Bool {
    let own = transcripts.keys.filter { $0.captioner == key.captioner }
    // The oldest of these makes room; one that is older still would be the first to go.
    if own.count >= CaptionLimits.sessionsPerCaptioner { return own.contains { $0 < key } }
    return transcripts.count < CaptionLimits.sessions || forgetOldest(but: key)
  }

  /// Forgets the oldest session that is over, but one; false: all others go on.
  private mutating func forgetOldest(but kept: CaptionSessionKey) -> Bool {
    let over = transcripts.values.filter { !$0.isLive && $0.key != kept }
    guard let oldest = over.min(by: { $0.beganNanoseconds < $1.beganNanoseconds }) else {
      return false
    }
    remove(oldest.key)
    return true
  }

  private mutating func remove(_ key: CaptionSessionKey) {
    guard let transcript = transcripts.removeValue(forKey: key) else { return }
    totalBytes -= transcript.byteCount
    events.append(.forgotten(key))
  }

  /// The user forgets all sessions that are over, of others too; how many.
  public mutating func clear() -> Int {
    let over = transcripts.filter { !$0.value.isLive }.keys
    for key in over {
      remove(key)
      if key.captioner != own {
        cleared[key.captioner] = max(cleared[key.captioner] ?? 0, key.number)
      }
    }
    if let key = ownSession, transcripts[key] == nil { session = nil }
    revision += 1
    return over.count
  }

  // MARK: What is to be said

  /// What to say to a node next; nil: nothing now.
  public mutating func next(for node: NodeID, nowNanoseconds now: Int64) -> [UInt8]? {
    guard let post = posts[node], !post.isPaused(nowNanoseconds: now) else { return nil }
    if posts[node]?.takeHello() == true {
      return CaptionFrame.hello(refuses: refuses, run: run).octets
    }
    if let number = posts[node]?.takeWant() {
      let key = CaptionSessionKey(captioner: node, number: number)
      guard let transcript = transcripts[key] else { return next(for: node, nowNanoseconds: now) }
      return CaptionFrame.want(number, holding: transcript.held).octets
    }
    if let number = posts[node]?.takeOffer(), let offer = offer(of: number, to: post, now) {
      return CaptionFrame.offer(offer).octets
    }
    return chunks(for: node)
  }

  private func offer(of number: UInt64, to post: ReaderPost, _ now: Int64) -> CaptionOffer? {
    guard let session, session.number == number, let key = ownSession,
      let transcript = transcripts[key]
    else { return nil }
    let seen = transcript.chunks.values.filter {
      !post.places.isDisjoint(with: session.places(of: $0.index))
    }
    return CaptionOffer(
      number: number, isLive: session.isLive, isFollowed: post.isFollowing(number),
      elapsedMilliseconds: UInt32(clamping: max(0, now - session.beganNanoseconds) / 1_000_000),
      count: UInt32(seen.count), finals: UInt32(seen.count(where: \.isFinal)),
      scope: transcript.scope)
  }

  private mutating func chunks(for node: NodeID) -> [UInt8]? {
    guard let session, let key = ownSession, let transcript = transcripts[key],
      var post = posts[node]
    else { return nil }
    let places = post.places
    let head = CaptionFrame.head(ofChunksOf: key.number)
    var packer = CaptionPacker(after: head)
    while post.takeChunk({ number, index in
      // Who left a line meanwhile gets no more of it.
      guard number == key.number, let chunk = transcript.chunks[index],
        !places.isDisjoint(with: session.places(of: index))
      else { return true }
      return packer.add(chunk)
    }) {}
    posts[node] = post
    return packer.octets.count == head.count ? nil : packer.octets
  }

  /// The lane did not take what was to be said to a node: it begins again a second later.
  public mutating func failed(_ node: NodeID, nowNanoseconds now: Int64) {
    posts[node]?.beginAgain(
      offering: session.map { [$0.number] } ?? [],
      untilNanoseconds: now + CaptionLimits.retryNanoseconds)
  }

  // MARK: Time

  /// When ``tick(nowNanoseconds:)`` is due; `Int64.max`: not.
  public var nextDeadlineNanoseconds: Int64 {
    posts.values.reduce(offerNanoseconds) { min($0, $1.deadlineNanoseconds) }
  }

  /// What is due by then happens.
  public mutating func tick(nowNanoseconds now: Int64) {
    if now >= offerNanoseconds {
      offerNanoseconds = now + CaptionLimits.offerNanoseconds
      offerAll()
    }
    for (node, post) in posts where now >= post.deadlineNanoseconds {
      posts[node]?.endPause()
      woken.insert(node)
    }
  }
}
