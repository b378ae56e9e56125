import Cryptography
public import EventLoop

/// Another start of this node's own identity, as of an SD card that was copied.
public struct IdentityTwin: Sendable, Hashable {
  /// The number of that start.
  public let instance: UInt64
  /// Whether that start is later than this node's: the others take this node for its ghost, and do not let it in.
  public let isLater: Bool
  /// Who tells of it, by name; empty where it was met itself.
  public let toldBy: String
  /// Where it was met.
  public let address: SocketAddress?

  /// Describes one.
  public init(instance: UInt64, isLater: Bool, toldBy: String, address: SocketAddress?) {
    self.instance = instance
    self.isLater = isLater
    self.toldBy = toldBy
    self.address = address
  }

  /// What is so, in words that fit a line.
  public var words: String {
    let place = address.map { " at \($0)" } ?? ""
    return isLater
      ? "this identity runs on another node\(place), started later: nobody lets this one in"
      : "this identity runs on another node\(place), started earlier: it is kept out"
  }
}

/// What this node knows of others that have its identity.
struct TwinWatch {
  /// Whoever is kept out calls again within a minute, and is told again.
  private static let heardNanoseconds: Int64 = 300_000_000_000

  /// The one that was heard of last, and when; and when the user last read of one.
  private var note: (twin: IdentityTwin, atNanoseconds: Int64)?
  private var news = TellingInterval<Bool>(seconds: 3600)

  /// The other start; nil: there is none, or it was not heard of for some minutes.
  func twin(nowNanoseconds: Int64) -> IdentityTwin? {
    guard let note, nowNanoseconds - note.atNanoseconds <= Self.heardNanoseconds else { return nil }
    return note.twin
  }

  /// One was heard of.
  ///
  /// - Returns: whether the user is to be told.
  mutating func take(_ twin: IdentityTwin, nowNanoseconds: Int64) -> Bool {
    // A later start is worse than an earlier one, of which there may be some.
    let known = self.twin(nowNanoseconds: nowNanoseconds)
    if known?.isLater == true, !twin.isLater { return false }
    note = (twin, nowNanoseconds)
    return news.tells(twin.isLater, nowNanoseconds: nowNanoseconds)
  }
}
