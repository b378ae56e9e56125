/// The times of the state machine.
enum MeshTimes {
  /// Between heartbeats.
  static let heartbeatNanoseconds: Int64 = 2_000_000_000
  /// Three heartbeats less a twentieth of one: a killed node is gone within 6 s of its last sign.
  static let silentNanoseconds: Int64 = 5_900_000_000
  /// So long after its last sign, whether a member's media come is asked, which takes a moment.
  static let listenNanoseconds: Int64 = silentNanoseconds - 500_000_000
  /// Media that came so recently are a sign: whose heartbeats starve behind voices is no dead node.
  static let soundNanoseconds: Int64 = 1_000_000_000
  /// A connection without heartbeats for so long is over, though media come: nothing else that it carries comes either.
  static let soundingNanoseconds: Int64 = 15_000_000_000
  /// A connection without one for so long is given up for another as soon as there is a sign that the way is open
  /// again.
  static let stalledNanoseconds: Int64 = 3_000_000_000
  /// Whom we could not hear, being cut off ourselves, has a second from then on.
  static let returnedNanoseconds: Int64 = silentNanoseconds - 1_000_000_000
  /// Two connections that each end made in place of the former, so soon after each other, were made at once.
  static let crossingNanoseconds: Int64 = 1_000_000_000
  /// So soon after a heartbeat that was answered none is answered again.
  static let answerNanoseconds: Int64 = 1_000_000_000
  /// So long after an answer we wait to be asked again: a heartbeat's time, and for TCP to repeat a lost packet.
  static let awaitNanoseconds: Int64 = 2_250_000_000
  /// A connection of this age clears its peer's failure count.
  static let stableNanoseconds: Int64 = 15_000_000_000
  /// The wait after the first failure; doubles with each.
  static let backOffNanoseconds: Int64 = 500_000_000
  /// No wait is longer, jitter and the waiting side's factor included.
  static let longestBackOffNanoseconds: Int64 = 30_000_000_000
  /// What a dial takes as a rule, TLS on slow boards included;
  /// the lower ID waits so often for it before the first failure.
  static let dialNanoseconds: Int64 = 200_000_000
  /// How much longer the lower ID waits before it dials too.
  static let waitingFactor: Int64 = 3
  /// Failures in a row after which a peer's state is rebuilt.
  static let failuresToRebuild = 5
  /// Bounds every attempt, the wait for an answer to an invitation included.
  static let watchdogNanoseconds: Int64 = 35_000_000_000

  /// For the answer to a look-up: the resolver gives up after 5 s and tries once more.
  static let resolvingNanoseconds: Int64 = 10_000_000_000
  /// Before the next address is tried too (RFC 8305 §8 recommends a quarter of a second).
  static let nextAddressNanoseconds: Int64 = 250_000_000
  /// For the last address to answer: the third SYN goes out after 3 s (RFC 6298 §2, §5.7).
  static let connectingNanoseconds: Int64 = 3_500_000_000
  /// For TLS on a slow board behind a bad radio.
  static let securingNanoseconds: Int64 = 5_000_000_000
  /// For the first hello, and for an announced invitation.
  static let greetingNanoseconds: Int64 = 5_000_000_000
  /// For the user to answer an invitation.
  static let invitationNanoseconds: Int64 = 30_000_000_000
  /// A declined stranger may not be shown again before.
  static let declinedNanoseconds: Int64 = 60_000_000_000

  /// Who flooded is not listened to for so long.
  static let floodedNanoseconds: Int64 = 60_000_000_000

  /// Who was named and is not admitted, or does not admit us, is called again.
  static let namedRestNanoseconds: Int64 = 30_000_000_000
  /// Who is announced again after a decline is called again at most this often.
  static let announcedRestNanoseconds: Int64 = 60_000_000_000

  /// Between knocks at a member that was lost a moment ago.
  static let searchNanoseconds: Int64 = 500_000_000
  /// For so long it was lost a moment ago: an access point or switch between us may have gone, and be back.
  static let missedNanoseconds: Int64 = 60_000_000_000

  /// So long after a change of our groups or policy there may be things on their way that were said before it.
  static let changeNanoseconds: Int64 = 250_000_000

  /// Attempts start up to this much later, so that nodes do not fall in step.
  static let spreadNanoseconds: Int64 = 20_000_000
  /// A proof of life (knock, announcement) ends a peer's back-off at most this often.
  static let proofNanoseconds: Int64 = 400_000_000
  /// Gossip does so at most this often: who is up, but not for us, is not to be dialled for ever.
  static let gossipProofNanoseconds: Int64 = 8_000_000_000
  /// News of members wait this long for more of them.
  static let newsNanoseconds: Int64 = 50_000_000
  /// Between heartbeats that tell of the same difference in members.
  static let differenceNanoseconds: Int64 = 1_000_000_000
  /// From the first departure to the roll of the key.
  static let rollNanoseconds: Int64 = 250_000_000
  /// Hearsay that nothing came of is forgotten.
  static let hearsayNanoseconds: Int64 = 600_000_000_000
  /// An address that led back to us is tried again.
  static let ourselvesNanoseconds: Int64 = 30_000_000_000
  /// Between two words to a member that its identity runs twice.
  static let twinNanoseconds: Int64 = 60_000_000_000
}

extension Int64 {
  /// The sum, or the nearest number there is.
  func saturatingAdding(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
