import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// PipeWire in jackd's place, as desktops have it.
  @Suite struct PipeWireTests {
    private let directory: TemporaryDirectory
    private let server: PipeWireServer

    init() throws {
      directory = try TemporaryDirectory(prefix: "comlink-test")
      server = try PipeWireServer(in: directory)
    }

    /// A node that is started as a user does.
    private func node(
      _ name: String, port: Int, peer: Int? = nil, arguments: [String] = [],
      environment: [String: String] = [:]
    ) throws -> NodeProcess {
      var options = NodeProcess.Options(port: port)
      options.peerPorts = peer.map { [$0] } ?? []
      options.wrapper = ["pw-jack"]
      options.arguments = arguments
      options.environment = server.environment.merging(environment) { $1 }
      return try NodeProcess(
        name, onServerNamed: "default", client: name, options: options, in: directory)
    }

    private func node(
      profile: String = "stage", environment: [String: String] = [:]
    ) throws -> NodeProcess {
      let node = try node(
        "a", port: try LoopbackPorts.free(1)[0], arguments: ["--profile", profile],
        environment: environment)
      try node.waitUntilAudio(is: .running, within: 30)
      return node
    }

    private func changes(toldBy node: NodeProcess) -> [Substring] {
      node.process.output.split(separator: "\n").filter { $0.contains("event=jack-changed") }
    }

    @Test(arguments: [("stage", 128), ("wifi", 256), ("saver", 512), ("none", 256)])
    func `PipeWire runs the period of the profile, and is told by its name`(
      profile: String, periodFrames: Int
    ) throws {
      let node = try node(profile: profile)
      let audio = try node.status().audio
      #expect(audio.periodFrames == periodFrames)
      #expect(audio.implementation?.hasPrefix("PipeWire ") == true)
      #expect(node.process.output.contains("jack=PipeWire"))
    }

    @Test func `the period that the user has asked for stands`() throws {
      let node = try node(environment: ["PIPEWIRE_LATENCY": "512/48000"])
      #expect(try node.status().audio.periodFrames == 512)
    }

    @Test func `a change of the period is told in time, and nothing else of it`() throws {
      let node = try node(profile: "saver")
      pause(seconds: 3)
      // 512 frames, as it was asked for: no change.
      #expect(changes(toldBy: node) == [])
      try server.force(periodFrames: 2048)
      try waitUntil("the change", within: 4) { changes(toldBy: node).count == 1 }
      try waitUntil("periods of 2048", within: 4) { () throws(RigError) in
        try node.status().audio.periodFrames == 2048
      }
      // Without an order it would stay, as long as a JACK program runs.
      try server.force(periodFrames: 512)
      try waitUntil("the change back", within: 4) { changes(toldBy: node).count == 2 }
      pause(seconds: 3)
      #expect(changes(toldBy: node).count == 2)
    }

    @Test func `a talk goes on through restarts of PipeWire and of its session manager`() throws {
      let ports = try LoopbackPorts.free(2)
      let a = try node("a", port: ports[0], arguments: ["--profile", "wifi"])
      let b = try node("b", port: ports[1], peer: ports[0], arguments: ["--profile", "wifi"])
      try b.waitUntilConnected(peers: 1, within: 30)
      var metronome = try metronome()
      let connect = try server.program("jack_connect", ["metro:120_bpm", "a:mic"])
      #expect(try connect.wait(within: 20) == 0)
      try waitUntilHeard(by: b)

      try server.restartWirePlumber()
      try waitUntilHeard(by: b)
      #expect(!a.process.output.contains("event=jack-gone"))

      server.stop()
      try a.waitUntilSaid("event=jack-gone")
      try a.waitUntilAudio(is: .waiting)
      try server.start()
      try a.waitUntilAudio(is: .running)
      try b.waitUntilAudio(is: .running)
      metronome.terminate()
      // It is connected again by the node alone.
      metronome = try self.metronome()
      try waitUntilHeard(by: b)
      #expect(a.process.isRunning && metronome.isRunning)
    }

    private func metronome() throws -> ChildProcess {
      let metronome = try server.program("jack_metro", ["-b", "120"])
      try waitUntil("the metronome", within: 20, detail: { metronome.output }) {
        () throws(RigError) in try server.ports().contains("metro:120_bpm")
      }
      return metronome
    }

    /// Two seconds in which packets come, loud at some time.
    private func waitUntilHeard(by node: NodeProcess) throws {
      let before = try node.status().peers.first?.received ?? 0
      try waitUntil("sound", within: 20, detail: { node.process.outputTail() }) {
        () throws(RigError) in
        guard let peer = try node.status().peers.first else { return false }
        return peer.received > before + 150 && peer.levelDBFS > -40
      }
    }

    /// libjack of PipeWire 0.3.65 without the one callback that it calls.
    @Test
    func `a server that has started anew without a word is found within half a minute`() throws {
      let library = try Interposer.build("mute_shutdown", in: directory)
      let node = try node(environment: ["LD_PRELOAD": library])
      server.stop()
      pause(seconds: 1)
      try server.start()
      try node.waitUntilSaid("event=jack-reopened", within: 40)
      try node.waitUntilAudio(is: .running)
      #expect(!node.process.output.contains("event=jack-gone"))
      #expect(try server.ports().contains(node.port("mic")))
    }

    @Test func `a PipeWire that stands still for a moment is counted as an xrun`() throws {
      let node = try node()
      let before = try node.status().audio.xruns
      server.stall(seconds: 0.3)
      try waitUntil("an xrun", within: 5) { () throws(RigError) in
        try node.status().audio.xruns > before
      }
    }

    @Test
    func `a node without PipeWire's library is told how to get it, by the doctor too`() throws {
      let ports = try LoopbackPorts.free(1)
      var options = NodeProcess.Options(port: ports[0])
      options.environment = server.environment
      let node = try NodeProcess(
        "a", onServerNamed: "none-\(getpid())", options: options, in: directory)
      try node.waitUntilSaid("event=jack-pipewire")
      try node.waitUntilSaid("event=ready")
      let audio = try node.status().audio
      #expect(audio.state == .waiting && audio.problem?.contains("pw-jack comlinkd") == true)
      for control in [["--control", node.controlPath], []] {
        let doctor = try ChildProcess(
          Executables.path(of: "comlink"), ["doctor"] + control, environment: server.environment,
          outputPath: directory.file("doctor.log"))
        _ = try doctor.wait(within: 60)
        #expect(doctor.output.contains("pw-jack comlinkd"), "\(doctor.output)")
      }
    }
  }
}

extension NodeProcess {
  /// Waits until it has said so.
  fileprivate func waitUntilSaid(_ words: String, within seconds: Double = 20) throws(RigError) {
    try waitUntil("the words \"\(words)\"", within: seconds, detail: { process.output }) {
      () throws(RigError) in
      try process.checkRunning()
      return process.output.contains(words)
    }
  }
}
