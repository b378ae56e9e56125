import Cryptography
import Media
import RTP

/// Counters of dropped datagrams, by reason; shared by all parts of a station that drop some.
///
/// Loop thread only.
final class DatagramDrops {
  /// Why one was dropped.
  enum Reason: Int, CaseIterable {
    case notRTP, unknownSource, unknownSSRC, wrongPayloadType, refusedPeer, ownSSRC
    /// A member's key names a stream that is another's.
    case takenSSRC
    /// RTCP goodbyes, which any member can forge in another's name: only those of control connections count.
    case unprovedGoodbye
    /// Packets of ours that could not be protected, and were not sent.
    case unsealed
  }

  private(set) var counts = Counts()

  /// Datagrams of members' SSRCs that were not let in.
  var protection: SRTPCounters { counts.protection }

  /// Counts one.
  func count(_ reason: Reason) { counts.reasons[reason.rawValue] += 1 }

  /// Counts one parse error.
  func count(_ error: RTPParseError) { counts.malformed[error.rawValue] += 1 }

  /// Counts one that is not authentic, or not new.
  func count(_ error: CryptoError) { counts.protection.count(error) }

  /// Reason and count, for display.
  var byReason: [String: Int] { counts.byReason }

  /// The counters as a value.
  struct Counts: Sendable {
    fileprivate var reasons = [Int](repeating: 0, count: Reason.allCases.count)
    fileprivate var malformed = [Int](repeating: 0, count: RTPParseError.allCases.count)
    fileprivate(set) var protection = SRTPCounters()
  }
}

extension DatagramDrops.Counts {
  /// Reason and count, for display; not on the media loop.
  var byReason: [String: Int] {
    var result: [String: Int] = [:]
    for reason in DatagramDrops.Reason.allCases { result["\(reason)"] = reasons[reason.rawValue] }
    for fault in DatagramFault.allCases {
      result[Self.word(fault), default: 0] += protection.turnedAway(fault)
    }
    for (error, count) in zip(RTPParseError.allCases, malformed) {
      result["malformed.\(error)"] = count
    }
    return result
  }

  private static func word(_ fault: DatagramFault) -> String {
    switch fault {
    case .tooShort, .malformed: "malformed.srtp"
    case .noRoom: "oversized.srtp"
    default: fault.rawValue
    }
  }
}

/// At most so many new, unconfirmed peers a second: a flood of forged reports costs little.
struct AdmissionBudget {
  private static let perSecond = 20

  private var second: Int64 = 0
  private var used = 0

  /// True when one more may be admitted now.
  mutating func take(nowNanoseconds: Int64) -> Bool {
    let current = nowNanoseconds / 1_000_000_000
    if current != second {
      second = current
      used = 0
    }
    guard used < Self.perSecond else { return false }
    used += 1
    return true
  }
}

/// Packets with a valid header and unusable audio, by reason.
struct PayloadDrops {
  private var malformed = 0
  private var oversized = 0
  private var unproven = 0
  private var undecodable = 0

  /// Adds what one peer's stream counted.
  mutating func add(_ statistics: PeerStreamStatistics) {
    malformed += statistics.discarded.malformed
    oversized += statistics.discarded.oversized
    unproven += statistics.discarded.unproven
    undecodable += statistics.decoderErrors
  }

  /// Reason and count, for display.
  var byReason: [String: Int] {
    [
      "malformed.opus": malformed, "oversized.opus": oversized, "undecodable": undecodable,
      "unprovenStream": unproven,
    ]
  }
}
