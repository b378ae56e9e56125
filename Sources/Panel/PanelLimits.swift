/// What others may take of a ``Panel``.
public struct PanelLimits: Sendable {
  /// Connections at a time; further ones are closed unanswered.
  public var connections = 8
  /// The most that is read of a request, bytes.
  public var requestBytes = 8192
  /// How long a connection may last in all, from its first byte to the last of the answer.
  public var connectionTime = Duration.seconds(5)
  /// How long a connection that was refused for its length is still listened to, so that the refusal arrives.
  public var farewellTime = Duration.milliseconds(500)
  /// How old figures may be that are told again without asking the node.
  public var freshness = Duration.seconds(1)

  /// Limits for a scraper or two.
  public init() {}
}
