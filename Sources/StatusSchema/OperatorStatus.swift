/// A member that may set something at this node, in a ``Status``.
public struct OperatorStatus: Sendable, Hashable, Codable {
  /// What it is called here.
  public var name: String
  /// Its ID.
  public var id: String?
  /// What it may set: `mic-gain`, `levels`, `keys`, `kill`.
  public var rights: [String]
  /// How often it did since this node started.
  public var acts = 0
  /// What it did last, as a control request in JSON; absent: nothing.
  public var lastAct: String?

  /// One that did nothing yet.
  public init(name: String, id: String, rights: [String]) {
    (self.name, self.id, self.rights) = (name, id, rights)
  }
}
