/// A text that is a secret, such as an invitation to a group: it goes over the control socket, but into no log.
public struct SecretText: Sendable, Hashable {
  /// The secret itself.
  public let text: String

  /// Takes a secret.
  public init(_ text: String) { self.text = text }
}

extension SecretText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Never the text.
  public var description: String { "(secret)" }
  /// Never the text.
  public var debugDescription: String { "(secret)" }
  /// Never the text.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
