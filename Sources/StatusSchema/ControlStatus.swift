/// The control socket's part of a ``Status``.
///
/// Counted since the daemon started.
public struct ControlStatus: Sendable, Hashable, Codable {
  /// Clients connected now.
  public var clients = 0
  /// Well-formed requests.
  public var requests = 0
  /// Lines that were no request: no JSON, an unknown request, a field missing or out of range.
  public var malformed = 0
  /// Lines longer than the limit; the client is answered and dropped.
  public var oversized = 0
  /// Clients turned away because the limit of clients was reached.
  public var refused = 0
  /// Clients dropped because they were idle, or too slow to send a line or to take an answer.
  public var timedOut = 0

  /// Nothing counted yet.
  public init() {}
}
