import Testing

@testable import TestRig

/// Three stations in the field, and what happens to them there; one after the other, on the same stations.
@Suite(
  .serialized, .timeLimit(.minutes(5)), .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct FieldFaultTests {
  @Test func `whatever happens to a station, all hear all again in seconds, and nobody ends`()
    throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let deployment = try Deployment(in: directory)
    defer { deployment.stop() }
    for fault in Fault.allCases where fault.isPermitted {
      for site in deployment.sites { try site.node.process.checkRunning() }
      let before = deployment.sites.map(\.audibility)
      try fault.strike(1, of: deployment)
      if fault.recoverySeconds == 0 { expectNobodyNoticed(fault, since: before, on: deployment) }
      let seconds = try deployment.secondsUntilWhole(within: 20)
      // Twice what is promised: this machine may be busy with other tests. The soak run takes it at its word.
      #expect(
        seconds <= 2 * max(1, fault.recoverySeconds),
        "whole \(seconds) s after: \(fault.rawValue)")
    }
  }

  /// Everybody heard everybody all the time; a hundredth is what this machine does to a talk by itself, and a tenth when it is busy.
  private func expectNobodyNoticed(
    _ fault: Fault, since before: [Audibility], on deployment: Deployment
  ) {
    let heard = zip(deployment.sites, before).map { $0.audibility.since($1) }
    for (site, heard) in zip(deployment.sites, heard) {
      #expect(
        heard.cycles > 0 && heard.audible.allSatisfy { 10 * $0 >= 9 * heard.cycles },
        "\(site.name) during: \(fault.rawValue)")
    }
  }
}
