import Cryptography
public import EventLoop
import Mesh

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
extension Membership {
  /// Whoever is kept out calls again within a minute, and is told again.
  private static let twinNanoseconds: Int64 = 300_000_000_000

  /// The other start; nil: there is none, or it was not heard of for some minutes.
  public var twin: IdentityTwin? {
    guard let known = twinNote else { return nil }
    let isOver = now() - known.atNanoseconds > Self.twinNanoseconds
    return isOver ? nil : known.twin
  }

  func noteTwin(_ instance: UInt64, toldBy teller: NodeID, at address: SocketAddress?) {
    let own = mesh.instance
    // A later start is worse than an earlier one, of which there may be some.
    if let known = twin, known.isLater, instance < own { return }
    let twin = IdentityTwin(
      instance: instance, isLater: instance > own,
      toldBy: teller == mesh.node ? "" : names[teller] ?? "", address: address)
    twinNote = (twin, now())
    guard twinNews.tells(twin.isLater, nowNanoseconds: now()) else { return }
    parts.report(.twin(twin))
  }
}
