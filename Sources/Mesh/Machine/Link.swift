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
  /// Whether this side, and the other, take each other as members.
  var weAdmit = false
  var theyAdmit = false
  /// Whether our groups or policy changed, a moment before it was opened or since, and it is not a member's: that
  /// nobody admits anybody may be said of what both were before.
  var isOutdated = false
  var hasInvited = false
  /// While the user is to answer.
  var invitationNanoseconds: Int64?
  /// When it has to be a member's; `max` once it is.
  var deadlineNanoseconds: Int64
  var isMember = false
  /// Closed by either side.
  var isOver = false
  /// When it gets stable; `max` once it is.
  var stableNanoseconds: Int64 = .max
  /// The admission up to which the other was told who is here.
  var toldRevision: UInt64 = 0
  /// The admission it was last reminded of.
  var remindedRevision: UInt64 = 0
  /// Whether our heartbeats ask for the other's, and do not answer them.
  var keepsClock = false
  /// When it was told last that its identity runs twice.
  var twinNanoseconds: Int64 = .min / 2
  /// When a heartbeat was answered last.
  var answeredNanoseconds: Int64 = .min / 2

  /// How many members the other has and how many we do, where that differs, since when,
  /// and whether we told it of all for that.
  var difference: (theirs: Int, ours: Int, sinceNanoseconds: Int64, isTold: Bool)?

  init(_ opened: OpenedConnection, isOurs: Bool, attempt: UInt64, deadlineNanoseconds: Int64) {
    connection = opened.connection
    node = opened.node
    provesGroup = opened.provesGroup
    remote = opened.remote
    self.isOurs = isOurs
    self.attempt = attempt
    self.deadlineNanoseconds = deadlineNanoseconds
  }
}

/// One effort to reach a peer, over all its addresses.
struct Attempt {
  struct Dial {
    let id: AttemptID
    let address: NodeAddress
  }

  /// Addresses not tried yet, the best last.
  private(set) var remaining: [NodeAddress] = []
  /// How many there were.
  private var addressCount = 0
  /// What is under way.
  var dials: [Dial] = []
  /// When the next address is tried beside those.
  var nextAddressNanoseconds: Int64 = .max
  /// When this stage has taken too long.
  var deadlineNanoseconds: Int64
  /// When everything has taken too long.
  let watchdogNanoseconds: Int64
  var progress: DialProgress
  /// Once there is one.
  var connection: ConnectionID?

  /// At the beginning, or for one whose connection is there.
  init(
    deadlineNanoseconds: Int64, watchdogNanoseconds: Int64, progress: DialProgress,
    connection: ConnectionID? = nil
  ) {
    self.deadlineNanoseconds = deadlineNanoseconds
    self.watchdogNanoseconds = watchdogNanoseconds
    self.progress = progress
    self.connection = connection
  }

  /// Tries these from now on, the first first.
  mutating func take(_ addresses: [NodeAddress]) {
    remaining = addresses.reversed()
    addressCount = addresses.count
  }

  /// The next address to try.
  mutating func nextAddress() -> NodeAddress? { remaining.popLast() }

  /// The progress while no connection is there.
  var connecting: DialProgress {
    .connecting(address: addressCount - remaining.count, of: addressCount)
  }
}
