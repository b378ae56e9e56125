/// A link that changes in time.
public struct LinkScenario: Hashable, Sendable {
  /// What the link becomes at a moment.
  public struct Change: Hashable, Sendable {
    /// When, from the link's beginning.
    public let atNanoseconds: Int64
    /// How packets are treated from then on.
    public let model: LinkModel

    /// Makes a change.
    public init(atNanoseconds: Int64, model: LinkModel) {
      self.atNanoseconds = atNanoseconds
      self.model = model
    }
  }

  /// What the link is at first.
  public let model: LinkModel
  /// What it becomes, in order of time.
  public let changes: [Change]

  /// Makes a scenario; changes must be in order of time.
  public init(_ model: LinkModel, changes: [Change] = []) {
    self.model = model
    self.changes = changes
  }
}
