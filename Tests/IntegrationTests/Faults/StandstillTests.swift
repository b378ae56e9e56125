import Glibc
import Testing

@testable import TestRig

extension FaultTests {
  /// A node that stands still as a whole: a debugger, a container that is frozen, a laptop's lid.
  @Suite struct StandstillTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// Who stands still.
    enum Sleeper: CaseIterable { case listener, talker }

    /// Its peers take it for gone after some six seconds, and it them.
    @Test(arguments: Sleeper.allCases)
    func `after a standstill the peer is heard soon, whichever stood still`(sleeper: Sleeper) throws
    {
      let line = try Line(in: directory)
      let server = try line.server()
      let node = try line.listener()
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      let ear = try node.ear(on: server, recordSeconds: 40)
      try speaker.hum()
      let sleeping = sleeper == .listener ? node.process : speaker.station.node.process
      var absences: [Absence] = []
      while absences.count < 3, !absences.contains(where: { $0.returnSeconds <= 1.5 }) {
        try ear.start()
        pause(seconds: 1)
        let end = jackNanoseconds()
        sleeping.send(signal: SIGSTOP)
        // The talker for as long as it may.
        pause(seconds: sleeper == .listener ? 8 : 30)
        let start = jackNanoseconds()
        sleeping.send(signal: SIGCONT)
        pause(seconds: 4)
        #expect(ear.hasPort(node.port("peer_A")))
        ear.stop()
        absences.append(Absence(of: ear, from: end, until: start))
        try node.waitUntilConnected(peers: 1, within: 30)
      }
      #expect(absences.contains { $0.returnSeconds <= 1.5 }, "\(absences)")
    }
  }
}
