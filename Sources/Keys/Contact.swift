/// A contact that bounces, as a press and a release of a person.
///
/// The first edge counts at once. For a while after it (``quiet``) no other does: a contact bounces for up to 5 ms.
/// What the contact says at the end of that while counts then. Times are those of one clock, since any moment.
///
/// A contact that is pressed more often than a hand can (``mostPresses`` in a second) is broken: it counts as released
/// until it has been still for a second.
public struct Contact: Sendable {
  /// The most presses in a second; a fast hand makes ten.
  public static let mostPresses = 32
  /// How long a contact that floods has to be still.
  public static let calm = Duration.seconds(1)

  /// What became of it.
  public enum Change: Sendable, Hashable {
    /// Pressed.
    case pressed
    /// Released.
    case released
    /// It is pressed too often and counts as released.
    case floods
    /// It has been still, and counts again.
    case isCalm
  }

  private let quiet: Duration
  /// What counts.
  public private(set) var isDown = false
  /// Whether it is pressed too often.
  public private(set) var isFlooding = false
  /// What it said last.
  private var level = false
  private var lastEdge: Duration?
  /// When it may be believed again.
  private var settles: Duration?
  /// The last presses, the oldest first.
  private var presses: [Duration] = []

  /// A contact that is open.
  ///
  /// - Parameter quiet: how long it is not believed after an edge that counts.
  public init(quiet: Duration) { self.quiet = quiet }

  /// When it is to be looked at, by ``settle(_:at:)``; nil: not before the next edge.
  public var deadline: Duration? {
    isFlooding ? lastEdge.map { $0 + Self.calm } : settles
  }

  /// Takes what it says.
  ///
  /// - Parameter time: when the edge was; one before the last is taken for that.
  public mutating func take(_ isClosed: Bool, at time: Duration) -> [Change] {
    var changes: [Change] = []
    let time = max(time, lastEdge ?? time)
    // An edge that is told late: what was due before it comes first.
    if let deadline, deadline <= time { changes = settle(level, at: deadline) }
    lastEdge = time
    level = isClosed
    guard !isFlooding, settles.map({ $0 <= time }) ?? true else { return changes }
    return changes + follow(at: time)
  }

  /// Takes what it says at the deadline, when it had its time to settle.
  ///
  /// - Parameter isClosed: nil: it cannot be asked; what it said last stands.
  public mutating func settle(_ isClosed: Bool?, at time: Duration) -> [Change] {
    guard let deadline, deadline <= time else { return [] }
    level = isClosed ?? level
    settles = nil
    guard isFlooding else { return follow(at: time) }
    isFlooding = false
    presses = []
    return [.isCalm] + follow(at: time)
  }

  /// It is gone, as a device that is unplugged.
  public mutating func lose() -> [Change] {
    defer { self = Contact(quiet: quiet) }
    return isDown ? [.released] : []
  }

  private mutating func follow(at time: Duration) -> [Change] {
    guard level != isDown else { return [] }
    settles = time + quiet
    if level {
      presses.append(time)
      presses.removeAll { $0 <= time - .seconds(1) }
      if presses.count > Self.mostPresses {
        isFlooding = true
        return [.floods]
      }
    }
    isDown = level
    return [isDown ? .pressed : .released]
  }
}
