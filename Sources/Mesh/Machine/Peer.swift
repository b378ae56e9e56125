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
  /// Where it was reached, or said itself that it is; the latest first, at most ``MeshLimits/addresses``.
  private(set) var addresses: [NodeAddress] = []
  /// Where others say it is, likewise; never displaces what is in `addresses`.
  private(set) var hearsayAddresses: [NodeAddress] = []
  /// Of a named peer: who answered there.
  var answeredBy: NodeID?
  var rest = Rest.none
  /// When it last began to rest after a decline.
  var declinedNanoseconds: Int64 = .min / 2
  /// Whether it declined our invitation: only the user asks again.
  var hasDeclinedInvitation = false
  /// Whether the user was notified that one side does not admit the other.
  var isRefusalTold = false
  /// Time of the last hearsay on it.
  var mentionedNanoseconds: Int64

  /// Taken out of the table.
  var isForgotten = false

  // The way to it.
  var failureCount = 0
  var attempt: Attempt?
  /// When the next attempt begins; `max`: not planned.
  var nextDialNanoseconds: Int64 = .max
  /// When a sign of life, or gossip of one, last ended its back-off.
  var proofNanoseconds: Int64 = .min / 2
  var gossipProofNanoseconds: Int64 = .min / 2

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
  /// Whether its silence was forgiven already, as this node was cut off itself.
  var isReprieved = false
  /// When it departed last without a goodbye.
  var lostNanoseconds: Int64 = .min / 2
  /// When the last message arrived on the connection in use.
  var heardNanoseconds: Int64 = .min / 2

  /// When its media arrived last, as far as queried.
  var soundedNanoseconds: Int64 = .min / 2
  /// The last sign of life at that query.
  var listenedNanoseconds: Int64 = .min

  /// Its last sign of life: a message, or its media, which keep it for 15 s after the last message at most.
  var signNanoseconds: Int64 {
    let bound = MeshTimes.soundingNanoseconds - MeshTimes.silentNanoseconds
    return max(heardNanoseconds, min(soundedNanoseconds, heardNanoseconds.saturatingAdding(bound)))
  }

  /// Something came.
  func hear(_ now: Int64) { (heardNanoseconds, isReprieved) = (now, false) }

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

  /// Starts from nothing: what failed five times may rest on something wrong.
  ///
  /// The addresses stay as a fallback behind those that a fresh look-up finds.
  func rebuild() {
    hearsayAddresses = allAddresses.reduce(into: []) { list, address in
      if list.count < MeshLimits.addresses { list.append(address) }
    }
    addresses = []
    attempt = nil
  }

  var allAddresses: [NodeAddress] { addresses + hearsayAddresses }

  /// Puts an address first.
  func learn(_ address: NodeAddress) {
    Self.insert(address, &addresses)
    hearsayAddresses.removeAll { $0 == address }
  }

  func learnHearsay(_ address: NodeAddress) {
    if !addresses.contains(address) { Self.insert(address, &hearsayAddresses) }
  }

  func unlearn(_ address: NodeAddress) {
    addresses.removeAll { $0 == address }
    hearsayAddresses.removeAll { $0 == address }
  }

  private static func insert(_ address: NodeAddress, _ list: inout [NodeAddress]) {
    guard address.host != .observed, address.port != 0, !address.lacksScope else { return }
    if let index = list.firstIndex(of: address) { list.remove(at: index) }
    list.insert(address, at: 0)
    if list.count > MeshLimits.addresses { list.removeLast() }
  }
}
