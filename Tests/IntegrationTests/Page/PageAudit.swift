import Foundation
import Remote
import Testing

@testable import TestRig

/// Where axe-core is; nil: it is not wanted.
private let axePath = ProcessInfo.processInfo.environment["COMLINK_PAGE_AXE"]

/// Each view as axe-core judges it, for who cannot see, or cannot point: `./dev page audit`.
@Suite(.serialized, .enabled(if: axePath != nil, "COMLINK_PAGE_AXE names no axe.min.js"))
struct PageAudit {
  @Test func `axe has no serious finding in any view`() throws {
    let axe = try String(contentsOfFile: try #require(axePath), encoding: .utf8)
    let stage = try PageStage(others: 2)
    _ = try stage.node.ask(.line(.new(line: "lights")))
    for rights in [PageRights.listen, .admin] {
      let page = try stage.page(rights, name: "\(rights)")
      try page.value(of: "(() => { \(axe) })()")
      for view in [
        "talk", "captions", "messages", "stations", "assistant", "settings", "health",
      ] {
        try page.value(of: "location.hash = '\(view)'")
        try page.wait("document.body.dataset.view === '\(view)'")
        pause(seconds: 1)
        try page.value(of: "document.querySelectorAll('.more').forEach((one) => one.click())")
        let found = try page.value(of: Self.findings)
        #expect(found == "", "\(rights.rawValue), \(view)")
      }
      try page.close()
    }
  }

  /// What is serious or critical, in words; empty: nothing.
  private static let findings = """
    axe.run().then(({ violations }) => violations
      .filter((one) => ["serious", "critical"].includes(one.impact))
      .map((one) => `${one.id}: ${one.nodes.map((node) => node.target)}`).join(", "))
    """
}
