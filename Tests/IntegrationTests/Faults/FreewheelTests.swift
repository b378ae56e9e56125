import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// A server that runs periods at any speed, as for an export: Ardour's, or `jack_freewheel`.
  @Suite struct FreewheelTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    private func freewheel(_ isOn: Bool, on server: JackServer) throws {
      let program = try ChildProcess(
        "jack_freewheel", [isOn ? "y" : "n"], environment: ["JACK_DEFAULT_SERVER": server.name],
        outputPath: directory.file("freewheel.log"))
      #expect(try program.wait(within: 20) == 0, "\(program.output)")
    }

    /// Of the stall that the machine may have in one try the next knows nothing.
    @Test
    func `a talker whose server freewheels sends nothing, and is heard within a second after`()
      throws
    {
      let line = try Line(in: directory)
      let server = try line.server()
      let node = try line.listener()
      let speaker = try line.speaker()
      let talker = speaker.station
      try node.waitUntilConnected(peers: 1, within: 30)
      try speaker.hum()
      let ear = try node.ear(on: server)
      var absences: [Absence] = []
      while absences.count < 3, !absences.contains(where: { $0.returnSeconds <= 1 }) {
        try ear.start()
        pause(seconds: 1)
        let end = jackNanoseconds()
        try freewheel(true, on: talker.server)
        try talker.node.waitUntilAudio(is: .freewheeling)
        pause(seconds: 0.5)
        let sent = try talker.node.status().network.packetsSent
        let heard = try OngoingTalk.peerA(of: node).received
        pause(seconds: 3)
        // Reports only; at the speed of the server it would be thousands.
        #expect(try talker.node.status().network.packetsSent - sent < 30)
        #expect(try OngoingTalk.peerA(of: node).received == heard)
        let start = jackNanoseconds()
        try freewheel(false, on: talker.server)
        pause(seconds: 3)
        ear.stop()
        absences.append(Absence(of: ear, from: end, until: start))
        #expect(try talker.node.status().audio.state == .running)
      }
      #expect(absences.contains { $0.returnSeconds <= 1 }, "\(absences)")
      let log = talker.node.process.output
      #expect(log.contains("event=jack-freewheels") && log.contains("event=jack-freewheeled"))
      #expect(!log.contains("event=jack-changed") && !log.contains("event=jack-stalled"))
    }

    @Test(arguments: [false, true])
    func `a listener whose server freewheels plays nothing, and hears within a second after`(
      hasPlugin: Bool
    ) throws {
      let line = try Line(in: directory)
      let plugin = hasPlugin ? try JackPlugin(.atStart, in: directory) : nil
      let server = try line.server(plugin: plugin)
      let node = try line.listener(arguments: plugin?.nodeArguments ?? [])
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      try speaker.hum()
      let ear = try node.ear(on: server)
      var returns: [Double] = []
      while returns.count < 3, returns.min() ?? .infinity > 1 {
        try freewheel(true, on: server)
        try node.waitUntilAudio(is: .freewheeling)
        let played = try node.status().audio.callbackMeanMicroseconds
        pause(seconds: 2)
        // No callback of ours is counted meanwhile.
        #expect(try node.status().audio.callbackMeanMicroseconds == played)
        let start = jackNanoseconds()
        try freewheel(false, on: server)
        try ear.start()
        pause(seconds: 3)
        ear.stop()
        returns.append(Absence(of: ear, from: start, until: start).returnSeconds)
        #expect(try node.status().audio.state == .running)
      }
      #expect(returns.contains { $0 <= 1 }, "\(returns)")
    }
  }
}
