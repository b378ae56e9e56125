/// What a ``Discovery`` did not take, by reason, since it started; and how much it holds.
public struct DiscoveryCounters: Hashable, Sendable {
  /// Nodes known now, at most ``ServiceTable/Limits/nodes``.
  public var nodes = 0
  /// Instances known now: a node has one for each interface and protocol.
  public var instances = 0
  /// Resolutions begun.
  public var resolutions = 0
  /// Resolutions without an answer.
  public var unresolved = 0
  /// TXT data that could not be read, by reason.
  public var malformedTexts = 0
  /// See ``malformedTexts``: longer than any node's.
  public var oversizedTexts = 0
  /// See ``malformedTexts``: without the ID of a node.
  public var namelessTexts = 0
  /// Ports and addresses that no node can have.
  public var unusableAddresses = 0
  /// Instances not taken, or put out again, as there are too many.
  public var crowdedInstances = 0
  /// Nodes not taken, or put out again, as there are too many.
  public var crowdedNodes = 0
  /// Instances put out as their node has too many.
  public var crowdedAddresses = 0

  /// All zero.
  public init() {}
}
