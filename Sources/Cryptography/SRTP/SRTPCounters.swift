/// What a receiver let in, and what not, by reason.
public struct SRTPCounters: Hashable, Sendable {
  /// Datagrams that were authentic and new.
  public internal(set) var accepted = 0
  private var faults = [Int](repeating: 0, count: DatagramFault.allCases.count)

  /// Nothing came yet.
  public init() {}

  /// How many datagrams were turned away for a reason.
  public func turnedAway(_ fault: DatagramFault) -> Int { faults[fault.ordinal] }

  /// Counts a datagram that was turned away; other errors are no datagram's.
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
