import Glibc
import Testing

@testable import TestRig

extension FaultTests {
  /// What the user patched in JACK's graph, beyond the daemon's end.
  @Suite struct KeptConnectionTests {
    private let patchbay: Patchbay
    private let ear: Probe

    init() throws {
      patchbay = try Patchbay(in: try TemporaryDirectory(prefix: "comlink-test"))
      ear = try patchbay.ear()
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `a daemon that is started anew is connected as the user left the former`(signal: Int32)
      throws
    {
      let first = try patchbay.daemon()
      try patchbay.waitUntilPlays(on: "system:playback_2", from: "mix_right")
      try patchbay.connect("mix_left", to: "ear:in_0")
      try patchbay.waitUntilKept { $0.contains("ear:in_0") }
      let before = patchbay.kept
      try patchbay.disconnect("mix_right", from: "system:playback_2")
      try patchbay.waitUntilKept { $0 != before }
      first.process.send(signal: signal)
      _ = try first.process.wait(within: 20)
      try patchbay.waitUntilGone(ear)

      let second = try patchbay.daemon()
      defer { second.process.terminate() }
      try patchbay.waitUntilPlays(on: "ear:in_0", from: "mix_left")
      // What connects the rest would have done so with that.
      pause(seconds: 1)
      #expect(try !patchbay.connections(of: "mix_right").contains("system:playback_2"))
    }
  }
}
