internal import StatusSchema

/// Whether a daemon runs that can be asked.
struct DaemonCheck: Check {
  var version: String?
  /// Why none answers, in words.
  var silence: String?
  /// Why its identity is for this run only, in words.
  var identityProblem: String?
  /// That its identity runs on another node, too, in words.
  var identityTwin: String?
  /// Where it keeps its state.
  var statePath: String?
  /// Whether it is systemd's.
  var isService = false
}

extension DaemonCheck {
  init(_ system: System) {
    version = system.patient.status?.node.version
    silence = system.patient.silence
    identityProblem = system.patient.status?.node.identityProblem
    identityTwin = system.patient.status?.node.identityTwin
    statePath = system.statePath
    isService = system.isService
  }

  var findings: [Finding] {
    guard let version else {
      return [
        Finding(
          check: "daemon", level: .advice, seen: silence ?? "no comlinkd answers",
          meaning: "Without it the doctor cannot check xruns and the daemon's own limits.",
          fix: isService
            ? [
              "if it does not run: sudo systemctl start comlink.target (why not: journalctl -u comlinkd -p warning)",
              "if you lack permission: sudo comlink doctor",
            ] : ["comlinkd &, then comlink doctor again"])
      ]
    }
    if let identityTwin {
      return [
        Finding(
          check: "daemon", level: .problem, seen: identityTwin,
          meaning:
            "Nodes are told apart by their identity: of two that have one, one hears nobody.",
          fix: [
            NodeStatus.twinAdvice,
            "before a card is copied again: remove \(statePath ?? "the state directory") from the copy",
          ])
      ]
    }
    guard let identityProblem else {
      return [Finding(check: "daemon", level: .ok, seen: "comlinkd \(version) answers")]
    }
    return [
      Finding(
        check: "daemon", level: .problem, seen: "identity for this run only: \(identityProblem)",
        meaning: "After a restart the others will not recognise this node.",
        fix: ["make the state directory writable for comlinkd's user, or use another: --state DIR"]
      )
    ]
  }
}
