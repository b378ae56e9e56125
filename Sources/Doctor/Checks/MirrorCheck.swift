internal import StatusSchema

/// Whether voice messages that are to go to another service get there.
struct MirrorCheck: Check {
  /// Nil: nothing is to go anywhere.
  var mirror: MirrorStatus?
}

extension MirrorCheck {
  init(_ system: System) { mirror = system.patient.status?.messages?.mirror }

  var findings: [Finding] {
    guard let mirror else { return [] }
    guard let problem = mirror.problem else {
      return [
        Finding(
          check: "mirror", level: .ok,
          seen: "\(mirror.sent) voice messages mirrored since the start")
      ]
    }
    return [
      Finding(
        check: "mirror", level: .problem, seen: problem,
        meaning: "Voice messages do not reach the service, or one will never be there.",
        fix: [
          "upload-url, upload-token-file and upload-from in comlink.toml, then restart comlinkd",
          "docs/messages.md#to-another-service says what each answer means",
        ])
    ]
  }
}
