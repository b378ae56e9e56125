import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// A listener whose sound the plugin in jackd plays: how long nothing is heard when either ends and comes back.
  ///
  /// Three tries each: the machine may stall in one, and what is promised is possible in any.
  @Suite struct JackPluginReturnTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// Killed, or ended in order; the successor has the same state.
    @Test(arguments: [SIGKILL, SIGTERM])
    func `a daemon that ends is followed by silence, and heard within a second of its return`(
      signal: Int32
    ) throws {
      var scene = try PluginScene(in: directory)
      try scene.speaker.hum()
      let ear = try scene.ear()
      var absences: [Absence] = []
      while absences.count < 3, !absences.contains(where: { $0.returnSeconds <= 1 }) {
        try ear.start()
        pause(seconds: 1)
        let end = jackNanoseconds()
        scene.node.process.send(signal: signal)
        _ = try scene.node.process.wait(within: 10)
        pause(seconds: 1)
        let start = jackNanoseconds()
        try scene.restartNode()
        pause(seconds: 4)
        ear.stop()
        let absence = Absence(of: ear, from: end, until: start)
        #expect(absence.isSilent, "\(absence)")
        absences.append(absence)
      }
      #expect(absences.contains { $0.returnSeconds <= 1 }, "\(absences)")
      // The rings between daemon and plugin hold no more.
      #expect(absences.contains { $0.endSeconds < 0.5 }, "\(absences)")
      // jackd runs on, whoever is there; a machine that stalls holds it up by itself.
      #expect(absences.contains { $0.pace > 0.9 }, "\(absences)")
      #expect(scene.server.process.isRunning && ear.isAlive)
    }

    /// The program's file is another one then; the end in order, and the start at once.
    @Test func `an upgrade is a silence of a second at most`() throws {
      var scene = try PluginScene(in: directory)
      try scene.replaceProgram()
      scene.node.process.send(signal: SIGTERM)
      _ = try scene.node.process.wait(within: 10)
      try scene.restartNode()
      try scene.node.waitUntilConnected(peers: 1, within: 30)
      try scene.speaker.hum()
      let ear = try scene.ear()
      var silences: [Double] = []
      while silences.count < 3, silences.min() ?? .infinity > 1 {
        try ear.start()
        pause(seconds: 1)
        try scene.replaceProgram()
        let end = jackNanoseconds()
        scene.node.process.send(signal: SIGTERM)
        _ = try scene.node.process.wait(within: 10)
        let start = jackNanoseconds()
        try scene.restartNode()
        pause(seconds: 4)
        ear.stop()
        silences.append(Absence(of: ear, from: end, until: start).silenceSeconds)
      }
      #expect(silences.contains { $0 <= 1 }, "\(silences)")
    }

    @Test func `a server that dies and returns is heard within a second`() throws {
      var scene = try PluginScene(in: directory)
      try scene.speaker.hum()
      var seconds: [Double] = []
      while seconds.count < 3, seconds.min() ?? .infinity > 1 {
        scene.server.crash()
        try scene.node.waitUntilAudio(is: .waiting)
        let start = jackNanoseconds()
        try scene.restartServer()
        let answer = jackNanoseconds()
        // Of the first sound the ear may miss a moment: it is a client that has to come first.
        let ear = try scene.ear()
        try ear.start()
        pause(seconds: 4)
        ear.stop()
        seconds.append(Absence(of: ear, from: start, until: answer).returnSeconds)
      }
      #expect(seconds.contains { $0 <= 1 }, "\(seconds)")
      #expect(scene.node.process.isRunning)
    }
  }
}
