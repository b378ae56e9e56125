import StatusSchema
import TestKit
import Testing

/// Which glitches are the node's own.
@Suite struct GlitchCountTests {
  private static func status(_ adjust: (inout Status) -> Void) -> Status {
    var status = Status(
      node: NodeStatus(
        name: "A", version: "1", uptimeSeconds: 1, listen: "127.0.0.1:5004", ssrc: 1,
        ptimeMilliseconds: 10, bitrateKilobits: 64, application: "lowdelay"),
      audio: AudioStatus(state: .running, server: "s", client: "c"),
      loop: LoopStatus(
        wakes: 0, enters: 0, wakeLatencyP50Microseconds: 0, wakeLatencyP99Microseconds: 0,
        scheduling: "fifo", memoryLocked: true),
      network: NetworkStatus(packetsSent: 0, packetsReceived: 0),
      peers: [PeerStatus(name: "B", address: "127.0.0.1:5006", state: .connected)])
    adjust(&status)
    return status
  }

  private static func count(
    splices: Int = 0, holes: Int = 0, xruns: Int = 0, causes: [String: Int]? = nil
  ) -> GlitchCount? {
    GlitchCount([
      status {
        $0.peers[0].spliced = splices
        $0.peers[0].underrun = holes
        $0.audio.xruns = xruns
        $0.audio.underruns = causes
      }
    ])
  }

  @Test func `a node that lost its peer has no count`() {
    #expect(GlitchCount([Self.status { _ in }, Self.status { $0.peers = [] }]) == nil)
    #expect(GlitchCount([Self.status { $0.peers.append($0.peers[0]) }]) == nil)
  }

  @Test func `what both nodes count is added up from the first on`() throws {
    let first = try #require(Self.count(splices: 3, holes: 2))
    let both = try #require(
      GlitchCount([
        Self.status { $0.peers[0].spliced = 5 },
        Self.status { ($0.peers[0].underrun, $0.peers[0].concealed) = (4, 7) },
      ]))
    #expect(both.glitches == 16, "\(both)")
    #expect(both.since(first).splices == 2 && both.since(first).glitches == 11)
  }

  @Test func `only holes that the machine made are excused`() throws {
    // A hole that the node's own work made is no stall.
    let busy = try #require(Self.count(splices: 2, holes: 3, causes: ["work": 3]))
    #expect(busy.unexcused == 5)
    let late = try #require(Self.count(splices: 2, holes: 5, xruns: 9, causes: ["wakeUps": 5]))
    #expect(late.unexcused == 2)
    // Of a peer that has gone since, say.
    let elsewhere = try #require(Self.count(splices: 2, holes: 1, causes: ["callbacks": 4]))
    #expect(elsewhere.unexcused == 2)
  }
}
