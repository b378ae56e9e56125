import Cryptography

/// Who may ask to come in, and who is turned away for a while.
struct Door {
  var policy: AdmissionPolicy
  /// When our groups or policy changed last.
  private var changeNanoseconds: Int64 = .min / 2
  private var declined = DeclinedList()
  private var flooders = DeclinedList()
  /// When strangers asked, in the last 30 s.
  private var invitationNanoseconds: [Int64] = []

  init(policy: AdmissionPolicy) { self.policy = policy }

  /// Our groups or policy changed.
  mutating func noteChange(_ now: Int64) { changeNanoseconds = now }

  /// Whether things may be on their way that were said before our groups or policy changed.
  func changedLately(_ now: Int64) -> Bool {
    now - changeNanoseconds < MeshTimes.changeNanoseconds
  }

  /// Whether no more strangers are heard at the moment.
  mutating func isBusy(_ now: Int64) -> Bool {
    invitationNanoseconds.removeAll { now - $0 >= MeshTimes.invitationNanoseconds }
    return invitationNanoseconds.count >= MeshLimits.invitations
  }

  /// A stranger asks.
  mutating func noteInvitation(_ now: Int64) { invitationNanoseconds.append(now) }

  /// Hears no invitation of a stranger for a while.
  mutating func decline(_ node: NodeID, instance: UInt64, _ now: Int64) {
    declined.add(
      node, instance: instance,
      untilNanoseconds: now.saturatingAdding(MeshTimes.declinedNanoseconds))
  }

  func isDeclined(_ node: NodeID, _ now: Int64) -> Bool {
    declined.contains(node, nowNanoseconds: now)
  }

  /// A node may ask again, as its user or ours changed something.
  mutating func hearAgain(_ node: NodeID) { declined.remove(node) }

  /// A later run of a node may ask again.
  mutating func hearAgain(_ node: NodeID, before instance: UInt64) {
    declined.remove(node, before: instance)
  }

  /// Listens to a node that said too much no more for a while.
  mutating func shut(_ node: NodeID, instance: UInt64, _ now: Int64) {
    flooders.add(
      node, instance: instance,
      untilNanoseconds: now.saturatingAdding(MeshTimes.floodedNanoseconds))
  }

  func isShut(_ node: NodeID, _ now: Int64) -> Bool {
    flooders.contains(node, nowNanoseconds: now)
  }

  /// Whether a run of a node may come in: not one that said too much a moment ago.
  mutating func opens(to node: NodeID, instance: UInt64, _ now: Int64) -> Bool {
    !isShut(node, now) || flooders.remove(node, before: instance)
  }

  /// Until when a node is not listened to, or was not.
  func shutUntilNanoseconds(_ node: NodeID) -> Int64? { flooders.end(of: node) }
}

/// Nodes that were turned away a short time ago: strangers that were declined, or whoever flooded.
private struct DeclinedList {
  private var entries: [(node: NodeID, instance: UInt64, untilNanoseconds: Int64)] = []

  /// - Parameter instance: the run that was turned away.
  mutating func add(_ node: NodeID, instance: UInt64, untilNanoseconds: Int64) {
    let before = entries.first { $0.node == node }?.instance ?? 0
    remove(node)
    entries.append((node, max(instance, before), untilNanoseconds))
    if entries.count > MeshLimits.declined { entries.removeFirst() }
  }

  mutating func remove(_ node: NodeID) {
    entries.removeAll { $0.node == node }
  }

  /// Forgets about a node of which this is a later run than was turned away; false where it is not.
  @discardableResult
  mutating func remove(_ node: NodeID, before instance: UInt64) -> Bool {
    let count = entries.count
    entries.removeAll { $0.node == node && $0.instance < instance }
    return entries.count < count
  }

  func contains(_ node: NodeID, nowNanoseconds: Int64) -> Bool {
    end(of: node).map { $0 > nowNanoseconds } ?? false
  }

  /// Until when a node is turned away, or was.
  func end(of node: NodeID) -> Int64? {
    entries.first { $0.node == node }?.untilNanoseconds
  }
}
