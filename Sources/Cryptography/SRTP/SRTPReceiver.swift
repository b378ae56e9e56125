/// Authenticates and decrypts the packets of one stream of a sender (``SRTPSender``).
///
/// Whoever holds a sender's key could have made a packet, so among the members of a group it is no proof of who talks:
/// keys are symmetric. Against all others it proves that the packet is the sender's, unchanged,
/// and here for the first time.
///
/// One for each stream of each session of a sender, that is each start: a sender begins its epochs and numbers anew.
///
/// Keys: the newest, and the two before it until ``dropOlderKeys()`` (two, because a sender may prepare a key in place
/// of one that it never used). Numbers that came are remembered for each key and SSRC
/// over all variants, so a packet in another form, made for another listener, is no news either. A stream's state
/// changes only by an authentic packet, and is bounded; any octets may come, none trap.
///
/// Whoever holds a key can also send a number of it that is so far ahead that the sender's own are too old. With the
/// sender's next key that is over: its numbers are judged by what came under it. Within a key a bound to such a jump
/// would not help, as many small ones lead as far, and would shut out a listener that was not sent to for long.
///
/// Loop thread only; only the initialiser allocates.
public final class SRTPReceiver {
  private var state = SRTPReceiverState()

  /// Counters of received datagrams.
  public var counters: SRTPCounters { state.counters }

  /// A receiver that knows no key yet.
  public init() {}

  /// The SSRC that an RTP packet says it is of, in clear; nil for what is too short.
  ///
  /// Not to be believed before the packet proved authentic.
  public static func claimedSSRC(ofMedia datagram: RawSpan) -> UInt32? {
    datagram.byteCount >= RTPFields.minimumByteCount ? datagram.uint32(at: 8) : nil
  }

  /// The SSRC that a compound of RTCP packets says it is of; under the same terms.
  public static func claimedSSRC(ofControl datagram: RawSpan) -> UInt32? {
    datagram.byteCount >= SRTPSender.controlHeaderByteCount ? datagram.uint32(at: 4) : nil
  }

  /// Takes a sender's next key; packets of the two before are still let in.
  ///
  /// One that is there already changes nothing.
  public func add(_ key: consuming SRTPReceivingKey) { state.add(key.keys) }

  /// Drops all keys but the newest.
  public func dropOlderKeys() { state.dropOlderKeys() }

  /// Checks and decrypts an RTP packet.
  ///
  /// - Parameters:
  ///   - datagram: as it came.
  ///   - plain: gets the RTP packet; as long as the datagram, or longer.
  /// - Returns: the RTP packet's length.
  /// - Throws: `CryptoError.datagram`, counted; `plain` has nothing of use then.
  public func unprotect(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    try state.unprotect(datagram, into: &plain)
  }

  /// Checks and decrypts a compound of RTCP packets; the same as ``unprotect(_:into:)``.
  public func unprotectControl(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    try state.unprotectControl(datagram, into: &plain)
  }
}

/// Why a datagram was rejected, or not protected; one word each, for counters.
public enum DatagramFault: String, CaseIterable, Hashable, Sendable {
  /// Shorter than its headers, tag and key number.
  case tooShort
  /// Not of RTP's version 2, with contributing sources, or with a header extension that is not encrypted as a whole.
  case malformed
  /// Of a key that we do not have (any more, or yet).
  case unknownKey
  /// Its number was received before: a replay.
  case replayed
  /// Its number is older than the replay window.
  case tooOld
  /// Made with another key, or changed on the way.
  case notAuthentic
  /// Of another SSRC than the stream and its RTX stream.
  case tooManyStreams
  /// The place for the result is too small.
  case noRoom
  /// A number for the second time: sealing it would give the key away.
  case indexReused
  /// All numbers of the key are used up; the next key is needed.
  case exhausted
}

/// Counters of a receiver: accepted, and rejected by reason.
public struct SRTPCounters: Hashable, Sendable {
  /// Authentic and new datagrams.
  public internal(set) var accepted = 0
  private var faults = [Int](repeating: 0, count: DatagramFault.allCases.count)

  /// Nothing came yet.
  public init() {}

  /// How many datagrams were rejected for a reason.
  public func turnedAway(_ fault: DatagramFault) -> Int { faults[fault.ordinal] }

  /// Counts a rejected datagram; other errors are ignored.
  public mutating func count(_ error: CryptoError) {
    if case .datagram(let fault) = error { faults[fault.ordinal] += 1 }
  }
}

extension DatagramFault {
  /// Its place among the cases.
  fileprivate var ordinal: Int {
    switch self {
    case .tooShort: 0
    case .malformed: 1
    case .unknownKey: 2
    case .replayed: 3
    case .tooOld: 4
    case .notAuthentic: 5
    case .tooManyStreams: 6
    case .noRoom: 7
    case .indexReused: 8
    case .exhausted: 9
    }
  }
}
