import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// A listener whose sound the plugin in jackd plays: the deaths of either, and what goes on meanwhile.
  @Suite struct JackPluginTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// How another client of the server fares for four seconds of the server's time.
    private func pace(
      of client: Probe
    ) throws(RigError) -> (framesPerSecond: Double, lostPeriods: Int) {
      try client.start()
      let start = monotonicNanoseconds()
      try waitUntil("four seconds of the server's time", within: 20) { () throws(RigError) in
        client.recordedFrames > 4 * 48_000
      }
      let seconds = Double(monotonicNanoseconds() - start) / 1e9
      return (Double(client.recordedFrames) / seconds, client.xruns + client.skips)
    }

    @Test(arguments: [JackPlugin.Loading.atStart, .byHand])
    func `a talk goes through the plugin as through a client`(
      loading: JackPlugin.Loading
    ) throws {
      let line = try Line(in: directory)
      let plugin = try JackPlugin(loading, in: directory)
      let server = try line.server(plugin: plugin)
      let node = try line.listener(arguments: plugin.nodeArguments)
      if loading == .byHand {
        try waitUntil("the words", within: 20) { () throws(RigError) in
          node.process.output.contains("waiting for the plugin in JACK server")
        }
        try node.waitUntilAudio(is: .waiting)
        try plugin.load(into: server)
      }
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      #expect(try speaker.isUnderstood(by: node.ear(on: server)))
      let audio = try node.status().audio
      #expect(audio.client == "comlink" && audio.periodFrames == 256)
      #expect(audio.callbackMeanMicroseconds > 0)
      // The client is jackd's own: comlinkd does not have libjack's memory.
      let maps = text(ofFile: "/proc/\(node.process.identifier)/maps") ?? ""
      #expect(maps.contains("comlink-audio") && !maps.contains("/dev/shm/jack"))
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `a daemon that ends and comes back is heard again, and what the user connected stayed`(
      signal: Int32
    ) throws {
      var scene = try PluginScene(in: directory)
      let (node, speaker) = (scene.node, scene.speaker)
      let ear = try scene.ear()
      try #expect(speaker.isUnderstood(by: ear))
      node.process.send(signal: signal)
      _ = try? node.process.wait(within: 10)
      // The server goes on, with the port.
      #expect(ear.isAlive && ear.hasPort("comlink:mix_left"))
      try scene.restartNode()
      try scene.node.waitUntilConnected(peers: 1, within: 30)
      // By nobody's hand since.
      #expect(try speaker.isUnderstood(by: ear))
    }

    @Test func `a server that dies in a talk and returns with the plugin plays it again`() throws {
      var scene = try PluginScene(in: directory)
      let (node, speaker) = (scene.node, scene.speaker)
      try #expect(speaker.isUnderstood(by: scene.ear()))
      let process = node.process.identifier
      scene.server.crash()
      let waiting = Result { try node.waitUntilAudio(is: .waiting) }
      try scene.restartServer()
      try waiting.get()
      try node.waitUntilAudio(is: .running)
      // The user had connected ear and port; now nobody but the node does.
      let ear = try Probe(
        server: scene.server.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: 30)
      #expect(try speaker.isUnderstood(by: ear))
      #expect(node.process.identifier == process && node.process.isRunning)
    }

    @Test func `a daemon that is stopped holds up nothing, and is heard again`() throws {
      let scene = try PluginScene(in: directory)
      let (node, speaker) = (scene.node, scene.speaker)
      let ear = try scene.ear()
      try #expect(speaker.isUnderstood(by: ear))
      let other = try Probe(
        server: scene.server.name, name: "other", inputs: 1, outputs: 0, recordSeconds: 30)
      try other.connect("comlink:mix_left", to: "other:in_0")
      let before = try pace(of: other)
      node.process.send(signal: SIGSTOP)
      defer { node.process.send(signal: SIGCONT) }
      try ear.start()
      let meanwhile = try pace(of: other)
      ear.stop()
      // This machine has lost periods of its own, more in one phase than in another.
      #expect(meanwhile.framesPerSecond > 0.9 * before.framesPerSecond, "\(before), \(meanwhile)")
      #expect(meanwhile.lostPeriods <= 2 * before.lostPeriods + 10, "\(before), \(meanwhile)")
      // Its rings ran dry; from then on it is silence that is played.
      #expect(ear.recording().suffix(48_000).allSatisfy { $0 == 0 })
      node.process.send(signal: SIGCONT)
      try node.waitUntilConnected(peers: 1, within: 30)
      #expect(try speaker.isUnderstood(by: ear))
    }

    @Test func `a plugin taken out in a talk is waited for, and plays when put in`() throws {
      let scene = try PluginScene(in: directory)
      let (node, speaker) = (scene.node, scene.speaker)
      let ear = try scene.ear()
      try #expect(speaker.isUnderstood(by: ear))
      try scene.plugin.unload(from: scene.server)
      try node.waitUntilAudio(is: .waiting)
      #expect(ear.isAlive && !ear.hasPort("comlink:peer_A"))
      try scene.plugin.load(into: scene.server)
      try node.waitUntilAudio(is: .running)
      #expect(try speaker.isUnderstood(by: ear))
    }

    @Test func `a second daemon is refused in words, and the first talks on`() throws {
      let scene = try PluginScene(in: directory)
      let (node, speaker) = (scene.node, scene.speaker)
      let second = try Daemon(
        "second", ["--listen", "127.0.0.1:0"] + scene.plugin.nodeArguments, in: directory)
      try second.waitUntilSaid("another comlinkd uses it")
      let other = try Daemon(
        "other", ["--listen", "127.0.0.1:0", "--jack-client", "fred"] + scene.plugin.nodeArguments,
        in: directory)
      try other.waitUntilSaid("it is not loaded as 'fred'")
      node.process.terminate()
      try second.waitUntilSaid("JACK client 'comlink' runs")
      #expect(speaker.station.node.process.isRunning && scene.server.process.isRunning)
    }
  }
}
