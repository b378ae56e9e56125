/// What a remote can ask of the service and its machine; in JSON the word stands alone, as `{"request":"doctor"}`.
public enum ServiceRequest: String, Sendable, Hashable, CaseIterable {
  /// Asks what keeps the machine from carrying voice well; the answer is ``ControlResponse/findings(_:)``.
  case doctor
  /// Ends `comlinkd` so that systemd starts it again; the answer is ``ControlResponse/done(note:)``.
  case restart
}
