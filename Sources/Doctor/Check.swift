/// One thing that is looked at: facts, and what they mean.
protocol Check: Sendable {
  /// Reads the facts; what cannot be read is unknown.
  init(_ system: System)

  /// Judges the facts; depends on nothing else.
  var findings: [Finding] { get }
}

/// Where checks read their facts.
struct System: Sendable {
  let files: FileTree
  let probes: KernelProbes
  let patient: Patient
}
