/// What others may take of a page.
public struct PageLimits: Sendable {
  /// Connections at a time; further ones are closed unanswered.
  public var connections = 256
  /// Of those from one address.
  public var connectionsOfAddress = 32
  /// Open pages at a time; the next is told why not.
  public var viewers = 64
  /// The most that is read of a request, bytes.
  public var requestBytes = 16_384
  /// Requests that a connection may have at once, and a second after that.
  public var requestBurst = 64.0
  /// Requests a second.
  public var requestsPerSecond = 16.0
  /// How long a connection may take for its TLS, a request and the answer, and how long it may be idle.
  public var connectionTime = Duration.seconds(20)
  /// How long a connection that was refused for its length is still listened to, so that the refusal arrives.
  public var farewellTime = Duration.milliseconds(500)
  /// The longest message of an open page, bytes.
  public var messageBytes = 65_536
  /// Messages that wait to be answered.
  public var waitingMessages = 16
  /// Messages that an open page may send at once.
  public var messageBurst = 120.0
  /// The same a second.
  public var messagesPerSecond = 60.0
  /// From one ping to the next.
  public var pingInterval = Duration.seconds(10)
  /// How long nothing may come of an open page, and how long it may leave unread what it was shown.
  public var patience = Duration.seconds(25)
  /// How soon a key that a page holds is released when nothing comes of it any more.
  public var holdTime = Duration.seconds(1)

  /// Those of guests.
  public var guests = GuestLimits()

  /// The limits that docs/page.md names.
  public init() {}
}

/// What guests may take of a page.
public struct GuestLimits: Sendable {
  /// Connections of guests at a time, two each.
  public var connections = 64
  /// Connections of one guest: two, and two that a phone that lost its network has yet to lose.
  public var sockets = 4
  /// The longest message of a guest, bytes.
  public var messageBytes = 4096
  /// Messages that a guest may send at once on a connection: what a stall of a second held up.
  public var frameBurst = 250.0
  /// The same a second; frames of 10 ms are 100.
  public var framesPerSecond = 150.0
  /// Keys that a guest may talk on at once.
  public var keys = 64
  /// From one ping of a guest's connection to the next.
  public var pingInterval = Duration.seconds(2)
  /// How long nothing may come of it.
  public var patience = Duration.seconds(6)
  /// How long a guest without a connection keeps its place.
  public var absence = Duration.seconds(10)
  /// Octets of frames for a guest that wait for the network; further frames are dropped.
  public var backlogBytes = 2048

  /// The limits that docs/page.md names.
  public init() {}
}

/// So many at once, and so many a second after that.
struct RateBound {
  private let most: Double
  private let perSecond: Double
  private var left: Double
  private var time: ContinuousClock.Instant

  init(most: Double, perSecond: Double, now: ContinuousClock.Instant = .now) {
    (self.most, self.perSecond, left, time) = (most, perSecond, most, now)
  }

  /// Takes one; false: that is too many.
  mutating func take(now: ContinuousClock.Instant = .now) -> Bool {
    left = min(most, left + time.duration(to: now) / .seconds(1) * perSecond)
    time = now
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
