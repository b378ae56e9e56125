import Cryptography

/// Notices of members that record: at most one a minute for each, with its latest state.
struct RecordingNews {
  /// What is to be done about one.
  enum Verdict: Equatable {
    case tell, nothing
    /// Look again in so long.
    case wait(nanoseconds: Int64)
  }

  private static let mostTold = 256

  private var interval = TellingInterval<NodeID>(seconds: 60)
  /// Of whom the user read last that they record, and who changed its mind since.
  private var told: Set<NodeID> = []
  private var untold: Set<NodeID> = []

  /// A member records, or does not.
  mutating func take(_ node: NodeID, isRecording: Bool, nowNanoseconds: Int64) -> Verdict {
    guard told.contains(node) != isRecording else { return .nothing }
    guard interval.tells(node, nowNanoseconds: nowNanoseconds) else {
      guard untold.insert(node).inserted else { return .nothing }
      return .wait(nanoseconds: interval.wait(for: node, nowNanoseconds: nowNanoseconds))
    }
    if told.count == Self.mostTold { _ = told.popFirst() }
    if isRecording { told.insert(node) } else { told.remove(node) }
    return .tell
  }

  /// The wait for a member is over.
  mutating func endWait(for node: NodeID) { untold.remove(node) }
}
