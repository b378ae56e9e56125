public import Mesh

/// The control connections as a ``Membership`` uses them; what happens on them comes to ``Membership/handle(_:)``.
///
/// Any thread; no call waits.
public protocol ControlTransport: Sendable {
  /// Opens a connection; `dialled` or `failed` answers.
  func dial(_ attempt: AttemptID, _ address: NodeAddress)
  /// Gives an attempt up.
  func abandon(_ attempt: AttemptID)
  /// Sends a message.
  func send(_ message: Message, on connection: ConnectionID)
  /// Sends what is under way, then closes.
  func close(_ connection: ConnectionID)
  /// The node at the other end is a member: it may send long messages.
  func raiseLimit(of connection: ConnectionID)
}
