internal import CRealtime

/// One peer's place in the mix: a ring, a gain, a pan, a meter and, when named, a port of its own.
public struct PeerSlot: Hashable, Sendable {
  /// How many peers the mix holds.
  public static let count = Int(RT_MAX_PEERS)
  /// Every slot, in order.
  public static let all: [PeerSlot] = (0..<count).map { PeerSlot(uncheckedIndex: $0) }

  /// 0 … `count` − 1.
  public let index: Int

  /// The slot of that number; nil outside 0 … `count` − 1.
  public init?(_ index: Int) {
    guard (0..<Self.count).contains(index) else { return nil }
    self.index = index
  }

  private init(uncheckedIndex index: Int) {
    self.index = index
  }

  /// The number CRealtime takes.
  package var number: Int32 { Int32(index) }
}
