public import Cryptography

/// Who hears a stream of its own beside the one for all members: its name, and nobody else has its keys.
///
/// Members compare it and hand it back; what it means only its sender knows, and who is on a private line.
public struct Audience: Sendable, Hashable {
  /// At most 32.
  public let octets: [UInt8]

  /// One as a member's stream has it.
  public init(octets: [UInt8]) { self.octets = octets }

  private init(_ kind: UInt8, _ name: [UInt8]) {
    octets = [kind] + Digest.sha256(unsafe name.span.bytes).prefix(16)
  }

  /// One member.
  static func member(_ node: NodeID) -> Audience { Audience(1, node.octets) }

  /// Those who are on a private line, by the line's ID.
  static func privateLine(_ id: [UInt8]) -> Audience { Audience(octets: [3] + id) }

  /// Whether it is that of a private line: who is on that line knows how loud it is, and nobody else hears it.
  public var isPrivateLine: Bool {
    octets.first == 3 && octets.count == 1 + PrivateLineID.byteCount
  }

  /// Those who share a group's secret.
  static func group(_ group: GroupLabel) -> Audience { Audience(2, Array(group.text.utf8)) }
}

extension Audience: Comparable {
  /// Some order that is always the same.
  public static func < (one: Audience, other: Audience) -> Bool {
    one.octets.lexicographicallyPrecedes(other.octets)
  }
}

/// A stream that is to be there: whom it is for, and whether it is spoken to.
public struct AudienceWish: Sendable, Hashable {
  /// What it is called.
  public let audience: Audience
  /// Who is to have its keys.
  public var listeners: Set<NodeID>
}

/// Streams that a node is to have beside the one for all: those that talk, then those that may have to at once.
///
/// A stream that is there when its key goes down loses nothing of what is said. There are as many as the media path has
/// room for, and what does not talk makes room for what does.
struct AudienceList {
  /// As many streams as a node has beside the one for all.
  static let limit = 7

  /// In order of need, each once.
  private(set) var wishes: [AudienceWish] = []

  /// Adds one, if there is room and anybody is in it.
  mutating func add(_ audience: Audience, _ listeners: Set<NodeID>) {
    guard !listeners.isEmpty, wishes.count < Self.limit,
      !wishes.contains(where: { $0.audience == audience })
    else { return }
    wishes.append(AudienceWish(audience: audience, listeners: listeners))
  }
}

/// The streams that are open for audiences, and what is to be done so that they are those that are wanted.
///
/// One step at a time, each carried out before the next. What is not wanted any more stays for a second: its last words
/// are under way still, and who comes and goes all the time has no stream opened each time.
public struct AudienceBook: Sendable {
  /// What is to be done next.
  public enum Step: Sendable, Hashable {
    /// Opens a stream; then ``opened(_:as:)`` or ``failed(_:nowNanoseconds:)``.
    case open(AudienceWish)
    /// Others are to hear it.
    case setListeners(Set<NodeID>, stream: Int)
    /// Ends it.
    case close(stream: Int)
  }

  private struct Stream {
    var number: Int
    var listeners: Set<NodeID>
    /// When it began to be wanted no more; nil: it is.
    var unwantedNanoseconds: Int64?
  }

  private static let lingerNanoseconds: Int64 = 1_000_000_000
  private static let retryNanoseconds: Int64 = 1_000_000_000

  private var streams: [Audience: Stream] = [:]
  /// Before that nothing that failed is tried again.
  private var retryNanoseconds: Int64 = .min

  /// With no stream open.
  public init() {}

  /// The next thing to do; nil: nothing now.
  ///
  /// - Parameters:
  ///   - wishes: in order of need.
  ///   - talking: those that are talked to: for them the others make room.
  public mutating func next(
    _ wishes: [AudienceWish], talking: Set<Audience>, nowNanoseconds now: Int64
  ) -> Step? {
    let wanted = Set(wishes.map(\.audience))
    for audience in streams.keys {
      let since = streams[audience]?.unwantedNanoseconds
      streams[audience]?.unwantedNanoseconds = wanted.contains(audience) ? nil : since ?? now
    }
    if let over = over(nowNanoseconds: now) { return close(over) }
    for wish in wishes {
      if let stream = streams[wish.audience] {
        guard stream.listeners != wish.listeners else { continue }
        streams[wish.audience]?.listeners = wish.listeners
        return .setListeners(wish.listeners, stream: stream.number)
      }
      if streams.count < AudienceList.limit, now >= retryNanoseconds { return .open(wish) }
      // Inputs and guests take numbers as well: that there is none left shows by trying only.
      guard talking.contains(wish.audience), let rest = spare(wishes, wanted, talking)
      else { continue }
      retryNanoseconds = .min
      return close(rest)
    }
    return nil
  }

  /// What makes room for an audience that is talked to: one that nobody wants, else the least of those that rest.
  private func spare(
    _ wishes: [AudienceWish], _ wanted: Set<Audience>, _ talking: Set<Audience>
  ) -> Audience? {
    if let rest = streams.keys.filter({ !wanted.contains($0) }).min() { return rest }
    return wishes.last { streams[$0.audience] != nil && !talking.contains($0.audience) }?.audience
  }

  private func over(nowNanoseconds now: Int64) -> Audience? {
    streams.filter { stream in
      stream.value.unwantedNanoseconds.map { now - $0 >= Self.lingerNanoseconds } ?? false
    }.keys.min()
  }

  private mutating func close(_ audience: Audience) -> Step? {
    streams.removeValue(forKey: audience).map { .close(stream: $0.number) }
  }

  /// A stream was opened.
  public mutating func opened(_ wish: AudienceWish, as number: Int) {
    streams[wish.audience] = Stream(number: number, listeners: wish.listeners)
  }

  /// It could not be.
  public mutating func failed(_ wish: AudienceWish, nowNanoseconds now: Int64) {
    retryNanoseconds = now + Self.retryNanoseconds
  }

  /// When there may be something to do though nothing happens; `max`: never.
  ///
  /// - Parameter wishes: as they are.
  public func nextDeadlineNanoseconds(_ wishes: [AudienceWish], nowNanoseconds now: Int64) -> Int64
  {
    let closing = streams.values.compactMap(\.unwantedNanoseconds).min()
      .map { $0 + Self.lingerNanoseconds }
    let isWaiting = now < retryNanoseconds && wishes.contains { streams[$0.audience] == nil }
    return min(closing ?? .max, isWaiting ? retryNanoseconds : .max)
  }
}
