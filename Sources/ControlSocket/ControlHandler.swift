public import Remote

/// Who carries out what comes in on the control socket.
public protocol ControlHandler: Sendable {
  /// Carries out a request.
  ///
  /// Called on Swift's ordinary pool, one request at a time per client, several clients at once. It
  /// may take its time: only the client that asked waits. Of a test its task is cancelled when that client goes.
  func handle(_ request: ControlRequest) async -> ControlResponse

  /// The node at once and whenever it changes, for one follower, who looks at the levels itself: the newest picture
  /// only, never a backlog; nil where there is no node to show.
  ///
  /// Any thread; does not wait.
  func pictures() -> AsyncStream<NodePicture>?
}

extension ControlHandler {
  /// Nothing to show.
  public func pictures() -> AsyncStream<NodePicture>? { nil }
}

/// How much of a node its control socket may take.
public struct ControlLimits: Sendable, Hashable {
  /// The longest request, bytes, without its line end.
  public var lineBytes = 64 * 1024
  /// Clients at a time, without subscribers; the next is answered with words and dropped.
  public var clients = 16
  /// Subscribers at a time; the next is told why not, and stays a client.
  public var subscribers = 32
  /// How long a client may be idle, and how long it may take to send one line or to take one answer.
  public var idleTimeout = Duration.seconds(30)

  /// The limits that `STATUS.md` names.
  public init() {}
}
