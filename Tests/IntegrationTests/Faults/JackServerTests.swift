import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// JACK servers that come late, die, or change under a node.
  @Suite struct JackServerTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    @Test func `a server that dies in a talk is waited for and all is as before`() throws {
      let line = try Line(in: directory)
      let first = try line.server()
      let node = try line.listener()
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      let process = node.process.identifier
      try #expect(speaker.isUnderstood(by: node.ear(on: first)))
      first.crash()
      let waiting = Result { try node.waitUntilAudio(is: .waiting) }
      let second = try line.server()
      try waiting.get()
      #expect(node.process.output.contains("JACK server '\(line.serverName)' is gone"))
      try node.waitUntilAudio(is: .running)
      // The user had connected ear and port; now nobody but the node does.
      let ear = try Probe(
        server: second.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: 30)
      #expect(try speaker.isUnderstood(by: ear))
      #expect(node.process.identifier == process && node.process.isRunning)
      #expect(try OngoingTalk.peerA(of: node).state == .connected)
    }

    /// Megabytes of the program and of libraries that the node has run so far.
    private func programMegabytes(of node: NodeProcess) throws -> Double {
      let process = node.process.identifier
      let ofServer = ["/dev/shm/jack"]
      return try #require(ProcessUsage.residentSetMegabytes(of: process, excluding: ofServer))
        - #require(ProcessUsage.writtenMegabytes(of: process, excluding: ofServer))
    }

    @Test func `what it takes when a server dies is in memory before`() throws {
      let line = try Line(in: directory)
      let first = try line.server()
      let node = try line.listener()
      try node.waitUntilAudio(is: .running)
      pause(seconds: 1)
      let before = try programMegabytes(of: node)
      first.crash()
      try node.waitUntilAudio(is: .waiting)
      let second = try line.server()
      defer { second.stop() }
      try node.waitUntilAudio(is: .running)
      // 1.1 MB without the rehearsal, else 0.2.
      #expect(try programMegabytes(of: node) - before < 0.6)
    }

    @Test func `a cycle that the server begins too late is counted as an xrun`() throws {
      let line = try Line(in: directory)
      let server = try line.server()
      let node = try line.listener()
      try node.waitUntilAudio(is: .running)
      let before = try node.status().audio.xruns
      server.process.send(signal: SIGSTOP)
      pause(seconds: 1)
      server.process.send(signal: SIGCONT)
      pause(seconds: 1)
      #expect(try node.status().audio.xruns > before)
    }

    @Test func `with a server at 44100 Hz a talk is understood as at 48000`() throws {
      let line = try Line(in: directory)
      let server = try line.server(sampleRate: 44_100)
      let node = try line.listener()
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      #expect(try node.status().audio.sampleRate == 44_100)
      #expect(try speaker.isUnderstood(by: node.ear(on: server)))
    }

    @Test func `a peer that came while a server at 44100 Hz was away is understood`() throws {
      let line = try Line(in: directory)
      let first = try line.server(sampleRate: 44_100)
      let node = try line.listener()
      try node.waitUntilAudio(is: .running)
      first.stop()
      try node.waitUntilAudio(is: .waiting)
      let speaker = try line.speaker()
      let second = try line.server(sampleRate: 44_100)
      try node.waitUntilAudio(is: .running)
      #expect(try speaker.isUnderstood(by: node.ear(on: second)))
    }

    @Test func `a talk goes on through changes of the period`() throws {
      let line = try Line(in: directory)
      let server = try line.server()
      let node = try line.listener()
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      let ear = try node.ear(on: server)
      for periodFrames in [1024, 128] {
        let change = try ChildProcess(
          "jack_bufsize", ["\(periodFrames)"], environment: ["JACK_DEFAULT_SERVER": server.name],
          outputPath: directory.file("bufsize"))
        #expect(try change.wait(within: 20) == 0)
        try waitUntil("periods of \(periodFrames)", within: 10) { () throws(RigError) in
          let audio = try node.status().audio
          return audio.state == .running && audio.periodFrames == periodFrames
        }
        #expect(try speaker.isUnderstood(by: ear), "periods of \(periodFrames)")
      }
    }

    @Test func `a node that finds no server says so and runs when one comes`() throws {
      let line = try Line(in: directory)
      let node = try line.listener()
      try waitUntil("the words", within: 20) { () throws(RigError) in
        node.process.output.contains("waiting for JACK server '\(line.serverName)'")
      }
      try node.waitUntilAudio(is: .waiting)
      let speaker = try line.speaker()
      let server = try line.server()
      try node.waitUntilConnected(peers: 1, within: 30)
      #expect(try speaker.isUnderstood(by: node.ear(on: server)))
    }
  }
}
