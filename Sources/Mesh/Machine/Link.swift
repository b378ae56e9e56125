import Cryptography

/// A connection whose other end proved who it is.
final class Link {
  let connection: ConnectionID
  let node: NodeID
  var provesGroup: Bool
  let remote: NodeAddress?
  /// Whether we dialled it.
  let isOurs: Bool
  /// The dialler's number of it; known of the other's with its hello.
  var attempt: UInt64
  var hello: Hello?
  /// Whether the dialler lost its connections before this one; until it is in use.
  var relocates = false
  /// When it took the place of those that its dialler had lost; long ago: it did not.
  var relocatedNanoseconds: Int64 = .min / 2
  /// What it may say yet; heartbeats, news of many members and keys take a fraction of it.
  var messages = TokenBucket(
    burst: MeshLimits.messageBurst, perSecond: MeshLimits.messagesPerSecond)
  var consent = Consent()
  var beats = HeartbeatExchange()
  /// When it has to be a member's; `max` once it is.
  var deadlineNanoseconds: Int64
  var isMember = false
  /// Closed by either side.
  var isOver = false
  /// When it gets stable; `max` once it is.
  var stableNanoseconds: Int64 = .max
  /// When it was told last that its identity runs twice.
  var twinNanoseconds: Int64 = .min / 2

  init(_ opened: OpenedConnection, isOurs: Bool, attempt: UInt64, deadlineNanoseconds: Int64) {
    connection = opened.connection
    node = opened.node
    provesGroup = opened.provesGroup
    remote = opened.remote
    self.isOurs = isOurs
    self.attempt = attempt
    self.deadlineNanoseconds = deadlineNanoseconds
  }

  /// Its other end as a member; nil: it has not said hello.
  var asMember: Member? {
    hello.map {
      Member(
        node: node, instance: $0.instance, profile: $0.profile.seen(at: remote),
        isInGroup: provesGroup)
    }
  }
}

/// Whether the two ends of a connection take each other as members.
struct Consent {
  /// Of this side, and of the other.
  var isOurs = false
  var isTheirs = false
  /// Whether our groups or policy changed, a moment before it was opened or since, and it is not a member's: that
  /// nobody admits anybody may be said of what both were before.
  var isOutdated = false
  /// Whether this side asked the other.
  private(set) var hasInvited = false
  /// Whether the other asked, and the user may answer.
  private(set) var isInvited = false

  /// This side asks.
  mutating func invite() { hasInvited = true }

  /// The other asks.
  mutating func beInvited() { isInvited = true }

  /// The user answered, or the question has no object any more; false where none was open.
  mutating func endInvitation() -> Bool {
    defer { isInvited = false }
    return isInvited
  }
}

/// What two members told each other by heartbeats, and whose turn it is.
struct HeartbeatExchange {
  /// Whether our heartbeats ask for the other's, and do not answer them.
  var asks = false
  /// When a heartbeat was answered last.
  private var answeredNanoseconds: Int64 = .min / 2
  /// The admission up to which the other was told who is here.
  private var toldRevision: UInt64 = 0
  /// The admission it was last reminded of.
  private var remindedRevision: UInt64 = 0
  /// How many members the other has and how many we do, where that differs, since when,
  /// and whether we told it of all for that.
  private var difference: (theirs: Int, ours: Int, sinceNanoseconds: Int64, isTold: Bool)?

  /// Whether a heartbeat of this side is due that does not answer one.
  func isDue(_ now: Int64) -> Bool {
    asks || now - answeredNanoseconds > MeshTimes.awaitNanoseconds
  }

  /// Whether to answer a heartbeat that asks: not where this side asks itself, or answered a moment ago.
  mutating func takeQuestion(_ now: Int64) -> Bool {
    guard !asks, now - answeredNanoseconds >= MeshTimes.answerNanoseconds else { return false }
    answeredNanoseconds = now
    return true
  }

  /// The next heartbeat does not wait for the other's.
  mutating func forgetAnswer() { answeredNanoseconds = .min / 2 }

  func lacks(_ revision: UInt64) -> Bool { toldRevision < revision }

  /// The members that are news to the other, as many as a heartbeat takes.
  ///
  /// - Parameter revision: the last admission.
  mutating func takeNews(of members: [Peer], _ revision: UInt64) -> ArraySlice<Peer> {
    let news = members.filter { $0.revision > toldRevision }
    let told = news.prefix(Heartbeat.maximumMembers)
    toldRevision = told.count == news.count ? revision : told.last?.revision ?? revision
    return told
  }

  /// The member that the other is reminded of now: all in turn.
  mutating func takeReminder(of members: [Peer]) -> Peer? {
    let next = members.first { $0.revision > remindedRevision } ?? members.first
    remindedRevision = next?.revision ?? 0
    return next
  }

  /// Sends all members with the next heartbeat where the other has had fewer than we do for a while.
  ///
  /// It does the same. Once for each difference, as it may last: not everybody can be reached by everybody.
  mutating func compare(theirs: Int, ours: Int, _ now: Int64) {
    // A member has us at least: who says nothing has no count.
    guard theirs > 0, theirs != ours else { return difference = nil }
    guard let known = difference, known.theirs == theirs, known.ours == ours else {
      difference = (theirs, ours, now, false)
      return
    }
    guard !known.isTold, now - known.sinceNanoseconds >= MeshTimes.differenceNanoseconds else {
      return
    }
    difference?.isTold = true
    toldRevision = 0
  }
}
