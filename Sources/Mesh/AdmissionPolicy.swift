/// What becomes of a node that is neither in the group nor trusted.
public enum AdmissionPolicy: String, Sendable, CaseIterable {
  /// Its invitation is shown, and declined if nobody answers.
  case ask
  /// Its invitation is declined.
  case groupOnly = "group-only"
  /// It is a member.
  case open
}
