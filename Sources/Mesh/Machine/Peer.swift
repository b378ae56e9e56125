import Cryptography

/// The mesh's state of a node that it is connected to, or wants to be.
final class Peer {
  /// The reason to connect to it.
  struct Sources: OptionSet {
    let rawValue: UInt8
    /// The user named it, or invited it.
    static let configured = Sources(rawValue: 1)
    /// It was a member, or is trusted: never makes room for hearsay.
    static let proven = Sources(rawValue: 2)
    /// Discovery sees it, in a group of ours.
    static let announced = Sources(rawValue: 4)
    /// A member is connected to it.
    static let gossiped = Sources(rawValue: 8)
    /// Discovery sees it, in no group of ours.
    static let stranger = Sources(rawValue: 16)
  }

  private static let firm = Sources([.configured, .proven]).rawValue

  /// Why no attempt is made.
  enum Rest { case none, goodbye, declined }

  let target: PeerTarget
  var sources: Sources
  /// The member whose gossip named it first.
  var informant: NodeID?
  var addresses = PeerAddresses()
  /// Of a named peer: who answered there.
  var answeredBy: NodeID?
  var rest = Rest.none
  var refusal = Refusal()
  /// Time of the last hearsay on it.
  var mentionedNanoseconds: Int64
  /// Taken out of the table.
  var isForgotten = false

  // The way to it.
  var attempt: Attempt?
  var backOff = BackOff()

  // Membership.
  var member: Member?
  /// Its place in the order of admissions; higher places than the last one sent are news.
  var revision: UInt64 = 0
  /// The connection in use; nil for a moment while one takes another's place.
  var link: Link?
  /// Whether the last one was uprooted, and there is no other yet: this side dials, as only it knows.
  var isUprooted = false
  /// The last one, where it was given up for another and is not closed yet.
  var forsaken: ConnectionID?
  /// When it departed last without a goodbye.
  var lostNanoseconds: Int64 = .min / 2
  var signs = SignsOfLife()

  init(target: PeerTarget, sources: Sources, nowNanoseconds: Int64) {
    self.target = target
    self.sources = sources
    mentionedNanoseconds = nowNanoseconds
  }

  var node: NodeID? {
    if case .node(let node) = target { node } else { nil }
  }

  /// Whether it is known by hearsay only.
  var isHearsay: Bool {
    member == nil && sources.rawValue & Self.firm == 0
  }

  /// Whether it is known by gossip only, without an announcement.
  var isGossip: Bool {
    sources.rawValue & (Sources.announced.rawValue | Sources.stranger.rawValue) == 0
  }

  /// Whether a member has been silent for longer than its heartbeats take.
  ///
  /// Where the way is open again, TCP repeats what was lost only after a wait that has doubled each time: another
  /// connection is faster.
  func isStalled(_ now: Int64) -> Bool { member != nil && signs.isStalled(now) }

  /// Starts from nothing: what failed five times may rest on something wrong.
  func rebuild() {
    addresses.rebuild()
    attempt = nil
  }
}

/// What is remembered of a peer that did not let us in, or was not let in.
struct Refusal {
  /// When it last began to rest after a decline.
  private(set) var declinedNanoseconds: Int64 = .min / 2
  /// Whether it declined our invitation: only the user asks again.
  private(set) var isOfInvitation = false
  /// Whether the user was notified that one side does not admit the other.
  private(set) var isTold = false

  mutating func decline(_ now: Int64) { declinedNanoseconds = now }

  mutating func declineInvitation() { isOfInvitation = true }

  /// The two get on, or the user wants them to.
  mutating func forgive() { (isOfInvitation, isTold) = (false, false) }

  /// Whether the user is to be notified; once.
  mutating func tell() -> Bool {
    defer { isTold = true }
    return !isTold
  }
}

/// Where a peer may be reached.
struct PeerAddresses {
  /// Where it was reached, or said itself that it is; the latest first, at most ``MeshLimits/addresses``.
  private(set) var own: [NodeAddress] = []
  /// Where others say it is, likewise; never displaces what is in `own`.
  private var hearsay: [NodeAddress] = []

  /// The best first.
  var all: [NodeAddress] { own + hearsay }

  var isEmpty: Bool { own.isEmpty && hearsay.isEmpty }

  /// Puts an address first.
  mutating func learn(_ address: NodeAddress) {
    Self.insert(address, &own)
    hearsay.removeAll { $0 == address }
  }

  /// Puts the best of some first, and takes no more than may be.
  mutating func learn(_ addresses: [NodeAddress]) {
    for address in addresses.prefix(MeshLimits.addresses).reversed() { learn(address) }
  }

  /// Likewise of what others say.
  mutating func learnHearsay(_ addresses: [NodeAddress]) {
    for address in addresses.prefix(MeshLimits.addresses).reversed()
    where !own.contains(address) {
      Self.insert(address, &hearsay)
    }
  }

  mutating func unlearn(_ address: NodeAddress) {
    own.removeAll { $0 == address }
    hearsay.removeAll { $0 == address }
  }

  /// Keeps all as a fallback behind those that a fresh look-up finds.
  mutating func rebuild() {
    hearsay = Array(all.prefix(MeshLimits.addresses))
    own = []
  }

  private static func insert(_ address: NodeAddress, _ list: inout [NodeAddress]) {
    guard address.host != .observed, address.port != 0, !address.lacksScope else { return }
    if let index = list.firstIndex(of: address) { list.remove(at: index) }
    list.insert(address, at: 0)
    if list.count > MeshLimits.addresses { list.removeLast() }
  }
}

/// When something of a peer was heard last.
struct SignsOfLife {
  /// When the last message arrived on the connection in use.
  private(set) var heardNanoseconds: Int64 = .min / 2
  /// When its media arrived last, as far as queried.
  private var soundedNanoseconds: Int64 = .min / 2
  /// The last sign of life at that query.
  private var listenedNanoseconds: Int64 = .min
  /// Whether its silence was forgiven already, as this node was cut off itself.
  private var isReprieved = false

  /// The last one: a message, or its media, which keep it for 15 s after the last message at most.
  var lastNanoseconds: Int64 {
    let bound = MeshTimes.soundingNanoseconds - MeshTimes.silentNanoseconds
    return max(heardNanoseconds, min(soundedNanoseconds, heardNanoseconds.saturatingAdding(bound)))
  }

  /// A message came.
  mutating func hear(_ now: Int64) { (heardNanoseconds, isReprieved) = (now, false) }

  /// Media came, at a time of which somebody tells now.
  mutating func sound(_ nanoseconds: Int64, _ now: Int64) {
    guard nanoseconds > now - MeshTimes.soundNanoseconds else { return }
    soundedNanoseconds = min(nanoseconds, now)
  }

  /// Whether to ask for its media; once for each silence.
  mutating func asks() -> Bool {
    guard listenedNanoseconds != lastNanoseconds else { return false }
    listenedNanoseconds = lastNanoseconds
    return true
  }

  /// Forgives a silence, as nobody could be heard while this node was cut off.
  ///
  /// Once, or changes that never end would keep the dead.
  mutating func reprieve(_ now: Int64) {
    guard !isReprieved else { return }
    heardNanoseconds = max(heardNanoseconds, now - MeshTimes.returnedNanoseconds)
    isReprieved = true
  }

  func isStalled(_ now: Int64) -> Bool { now - heardNanoseconds > MeshTimes.stalledNanoseconds }
}
