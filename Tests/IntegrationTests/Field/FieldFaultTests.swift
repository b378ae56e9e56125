import TestKit
import Testing

@testable import TestRig

/// Three stations in the field, and what happens to them there; one after the other, on the same stations.
@Suite(
  .serialized, .timeLimit(.minutes(5)), .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct FieldFaultTests {
  /// All of them in the night; for a change one of each kind: process, server, link, disk.
  private static let faults: [Fault] =
    Seeds.areAll ? Fault.allCases : [.kill, .jack, .cable, .address, .disk]

  @Test func `whatever happens to a station, all hear all again in seconds, and nobody ends`()
    throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let deployment = try Deployment(in: directory)
    defer { deployment.stop() }
    for fault in Self.faults {
      guard fault.isPermitted else {
        Console.line("left out, as this machine does not let us: \(fault.rawValue)")
        continue
      }
      for site in deployment.sites { try site.node.process.checkRunning() }
      try strike(fault, on: deployment)
      let seconds = try deployment.secondsUntilWhole(within: 20)
      // Twice what is promised: this machine may be busy with other tests. The soak run takes it at its word.
      #expect(
        seconds <= 2 * max(1, fault.recoverySeconds),
        "whole \(seconds) s after: \(fault.rawValue)")
    }
  }

  /// What nobody is to notice may coincide with a stall of the machine, but not each time.
  private func strike(_ fault: Fault, on deployment: Deployment) throws {
    var noticed: [String] = []
    for _ in 1...3 {
      let before = deployment.sites.map(\.audibility)
      try fault.strike(1, of: deployment)
      guard fault.recoverySeconds == 0 else { return }
      noticed = whoNoticed(since: before, on: deployment)
      if noticed.isEmpty { return }
    }
    Issue.record("during \(fault.rawValue), three times: \(noticed)")
  }

  /// Who did not hear everybody all the time; a hundredth is what this machine does to a talk by itself, and a tenth
  /// when it is busy.
  private func whoNoticed(since before: [Audibility], on deployment: Deployment) -> [String] {
    zip(deployment.sites, before).compactMap { site, before in
      let heard = site.audibility.since(before)
      let isWhole = heard.cycles > 0 && heard.audible.allSatisfy { 10 * $0 >= 9 * heard.cycles }
      return isWhole ? nil : "\(site.name): \(heard)"
    }
  }
}
