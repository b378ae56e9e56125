internal import Cryptography

/// Brings sealed audio to who has the envelope that it belongs to.
///
/// Whoever hands an envelope over has its audio, and is asked for it, so many pieces at once. They are kept as they
/// come, and what is whole has to have the name that the sender signed. What is on its way is not heard of by anybody
/// but this: an envelope counts as taken once its audio is there.
struct AudioDesk {
  /// Audio that is being asked for.
  private struct Fetch {
    let attachment: Attachment
    /// Who is asked; nil: that went.
    var source: NodeID?
    /// Of the pieces that came, in order.
    var hashes: [[UInt8]] = []
    /// Of these, the ones that are not kept yet.
    var fresh: [[UInt8]] = []
    /// Pieces up to this one were asked for.
    var asked = 0
    var heardNanoseconds: Int64
    /// What waits for it, by who handed it over.
    var parcels: [NodeID: [UInt8]] = [:]
  }

  /// What is to be said to a member.
  private struct Post {
    var wants: [AudioName] = []
    var missing: [AudioName] = []
    var requests: [(name: AudioName, next: Int, end: Int)] = []
  }

  /// What became of a frame.
  enum Outcome {
    case nothing
    /// It is whole: these are to be taken now.
    case whole(parcels: [NodeID: [UInt8]])
    /// It cannot be kept.
    case failed(JournalError)
  }

  /// Nothing came for so long: it is asked for again.
  private static let patienceNanoseconds: Int64 = 3_000_000_000
  /// Pieces that are written at once.
  private static let batch = 8

  private let journal: any MessageJournal
  private var whole: Set<AudioName>
  private var fetches: [AudioName: Fetch] = [:]
  private var posts: [NodeID: Post] = [:]
  private(set) var woken: Set<NodeID> = []

  init(_ state: JournalState, journal: any MessageJournal) {
    self.journal = journal
    whole = state.audio
  }

  mutating func takeWoken() -> Set<NodeID> {
    defer { woken = [] }
    return woken
  }

  mutating func join(_ node: NodeID) { posts[node] = Post() }

  mutating func leave(_ node: NodeID) {
    posts[node] = nil
    woken.remove(node)
    for name in fetches.keys where fetches[name]?.source == node { fetches[name]?.source = nil }
  }

  /// Whether all that belongs to an envelope is here.
  func has(_ attachment: Attachment?) -> Bool {
    attachment.map { whole.contains($0.name) } ?? true
  }

  /// The same, of what is to be counted as taken: asks the journal, which forgets audio with the last envelope that it
  /// was held for.
  mutating func holds(_ attachment: Attachment) -> Bool {
    guard whole.contains(attachment.name) else { return false }
    do throws(JournalError) {
      if try journal.piece(0, of: attachment.name) != nil { return true }
      whole.remove(attachment.name)
    } catch {
      // It is asked for again; what is there is none the worse.
    }
    return false
  }

  /// Whether there is some, which is neither here nor asked of anybody.
  func isLost(_ attachment: Attachment?) -> Bool {
    attachment.map { !whole.contains($0.name) && fetches[$0.name]?.source == nil } ?? false
  }

  /// Forgets the part of it that came, if that is lost.
  mutating func giveUp(_ attachment: Attachment?) {
    if let attachment, isLost(attachment) { drop(attachment.name) }
  }

  /// Keeps what this node made.
  mutating func add(_ audio: SealedAudio) throws(SayError) {
    let name = audio.attachment.name
    whole.insert(name)
    do throws(JournalError) {
      for first in stride(from: 0, to: audio.pieces.count, by: Self.batch) {
        let pieces = audio.pieces[first..<min(first + Self.batch, audio.pieces.count)]
        try journal.write([.pieces(name, first: first, Array(pieces))])
      }
    } catch {
      remove(audio.attachment)
      throw .journal("\(error)")
    }
  }

  /// It is of no use after all.
  mutating func remove(_ attachment: Attachment) {
    whole.remove(attachment.name)
    // Else it goes at the next start.
    try? journal.write([.forgetAudio(attachment.name)])
  }

  /// Asks for audio.
  ///
  /// - Parameter parcel: what is to be taken once it is there.
  /// - Returns: false: so much is asked for already.
  mutating func fetch(
    _ attachment: Attachment, from node: NodeID, then parcel: Parcel?, _ time: MessageTime
  ) -> Bool {
    let (name, now) = (attachment.name, time.steadyNanoseconds)
    // One that offers and never serves may not have all places.
    let own = fetches.values.count { $0.source == node }
    guard
      fetches[name] != nil
        || own < MessageLimits.fetches / 2
          && (fetches.count < MessageLimits.fetches || makeRoom())
    else { return false }
    var fetch = fetches[name] ?? Fetch(attachment: attachment, heardNanoseconds: now)
    guard fetch.attachment == attachment else { return false }
    if let parcel, fetch.parcels[node] != nil || fetch.parcels.count < MessageLimits.keepers + 1 {
      fetch.parcels[node] = parcel.octets
    }
    let isIdle = fetch.source == nil
    if isIdle {
      (fetch.source, fetch.asked, fetch.heardNanoseconds) = (node, fetch.hashes.count, now)
    }
    fetches[name] = fetch
    if isIdle { want(name, of: node) }
    return true
  }

  /// Gives up what nobody is there to ask for.
  private mutating func makeRoom() -> Bool {
    guard let name = fetches.first(where: { $0.value.source == nil })?.key else { return false }
    drop(name)
    return true
  }

  private mutating func want(_ name: AudioName, of node: NodeID) {
    guard posts[node] != nil else { return }
    if posts[node]?.wants.contains(name) == false { posts[node]?.wants.append(name) }
    woken.insert(node)
  }

  private mutating func drop(_ name: AudioName) {
    guard fetches.removeValue(forKey: name) != nil, !whole.contains(name) else { return }
    // Else it goes at the next start.
    try? journal.write([.forgetAudio(name)])
  }

  // MARK: What comes

  mutating func take(
    _ octets: [UInt8], from node: NodeID, nowNanoseconds now: Int64
  ) throws(MessageFault) -> Outcome {
    switch try AudioFrame(parsing: octets) {
    case .want(let name, let first, let count):
      serve(name, first..<first + count, to: node)
      return .nothing
    case .piece(let name, let number, let piece):
      return try take(piece, number, of: name, from: node, now)
    case .none(let name):
      if fetches[name]?.source == node { drop(name) }
      return .nothing
    }
  }

  private mutating func serve(_ name: AudioName, _ pieces: Range<Int>, to node: NodeID) {
    guard var post = posts[node] else { return }
    if !whole.contains(name) {
      if post.missing.count < MessageLimits.audioRequests { post.missing.append(name) }
    } else if post.requests.count < MessageLimits.audioRequests {
      post.requests.append((name, pieces.lowerBound, pieces.upperBound))
    }
    posts[node] = post
    woken.insert(node)
  }

  private mutating func take(
    _ piece: [UInt8], _ number: Int, of name: AudioName, from node: NodeID, _ now: Int64
  ) throws(MessageFault) -> Outcome {
    // Late, or asked of somebody else meanwhile.
    guard var fetch = fetches[name] else {
      guard whole.contains(name) else { throw .wrongAudio }
      return .nothing
    }
    guard fetch.source == node, number == fetch.hashes.count else { return .nothing }
    guard piece.count == fetch.attachment.byteCount(ofPiece: number) else {
      drop(name)
      throw .wrongAudio
    }
    fetch.hashes.append(AudioName.hash(of: piece))
    fetch.fresh.append(piece)
    fetch.heardNanoseconds = now
    let isWhole = fetch.hashes.count == fetch.attachment.pieceCount
    if isWhole, AudioName(ofHashes: fetch.hashes) != name {
      drop(name)
      throw .wrongAudio
    }
    if isWhole || fetch.fresh.count >= Self.batch {
      do throws(JournalError) {
        let first = fetch.hashes.count - fetch.fresh.count
        try journal.write([.pieces(name, first: first, fetch.fresh)])
      } catch {
        drop(name)
        return .failed(error)
      }
      fetch.fresh = []
    }
    fetches[name] = fetch
    guard isWhole else {
      if fetch.asked - fetch.hashes.count <= AudioFrame.mostPieces / 2 { want(name, of: node) }
      return .nothing
    }
    fetches[name] = nil
    whole.insert(name)
    return .whole(parcels: fetch.parcels)
  }

  // MARK: What is to be said

  /// What to say to a node next on the channel of files; nil: nothing now.
  mutating func next(for node: NodeID) throws(JournalError) -> [UInt8]? {
    guard var post = posts[node] else { return nil }
    defer { posts[node] = post }
    while let name = post.wants.popLast() {
      if let frame = wantFrame(name, of: node) { return frame.octets }
    }
    if let name = post.missing.popLast() { return AudioFrame.none(name).octets }
    while let request = post.requests.first {
      guard request.next < request.end else {
        post.requests.removeFirst()
        continue
      }
      post.requests[0].next += 1
      if let piece = try journal.piece(request.next, of: request.name) {
        return AudioFrame.piece(request.name, number: request.next, piece).octets
      }
      post.requests.removeFirst()
      // Beyond the last piece there is none, which is no loss.
      guard try journal.piece(0, of: request.name) == nil else { continue }
      whole.remove(request.name)
      return AudioFrame.none(request.name).octets
    }
    return nil
  }

  private mutating func wantFrame(_ name: AudioName, of node: NodeID) -> AudioFrame? {
    guard let fetch = fetches[name], fetch.source == node else { return nil }
    let first = max(fetch.asked, fetch.hashes.count)
    let count = min(AudioFrame.mostPieces, fetch.attachment.pieceCount - first)
    guard count > 0 else { return nil }
    fetches[name]?.asked = first + count
    return .want(name, first: first, count: count)
  }

  // MARK: Time

  /// When ``tick(nowNanoseconds:)`` is due.
  var deadlineNanoseconds: Int64 {
    fetches.values.reduce(.max) { deadline, fetch in
      fetch.source == nil
        ? deadline
        : min(deadline, fetch.heardNanoseconds.saturating(adding: Self.patienceNanoseconds))
    }
  }

  /// Asks again where nothing came for long.
  mutating func tick(nowNanoseconds now: Int64) {
    for (name, fetch) in fetches {
      guard let source = fetch.source,
        now >= fetch.heardNanoseconds.saturating(adding: Self.patienceNanoseconds)
      else { continue }
      fetches[name]?.asked = fetch.hashes.count
      fetches[name]?.heardNanoseconds = now
      want(name, of: source)
    }
  }
}
