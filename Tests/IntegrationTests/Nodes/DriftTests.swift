import StatusSchema
import TestKit
import Testing

@testable import TestRig

/// Two real daemons on real JACK servers whose clocks differ.
@Suite(.serialized) struct DriftTests {
  private static let driftPPM = 300.0

  @Test func `both ends of a talk know how much faster the other's clock is, and splice nothing`()
    throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    // A delay that outlasts most stalls of this machine.
    let pair = try NodePair(
      recordSeconds: 1, driftPPMOfA: Self.driftPPM, playoutDelay: "60", in: directory)
    let speech = try Speech.sentences()
    for station in [pair.a, pair.b] {
      try station.prepareToSay(speech, loops: true)
      try station.mouth.start()
    }
    // It takes ten seconds; stalls begin some of it anew.
    for (station, drift) in [(pair.a, -Self.driftPPM), (pair.b, Self.driftPPM)] {
      try waitUntil("\(station.node.name) to know the drift", within: 40) { () throws(RigError) in
        guard let peer = try station.node.status().peers.first, peer.isClockLocked == true,
          let known = peer.driftPPM
        else { return false }
        return abs(known - drift) < 20
      }
    }
    // A stall may be longer than the delay, but not each time.
    var spliced: [Int] = []
    for _ in 1...3 {
      let before = try count(pair)
      pause(seconds: 10)
      spliced.append(try count(pair).since(before).splices)
      if spliced.last == 0 { break }
    }
    #expect(spliced.last == 0, "\(spliced)")
  }

  private func count(_ pair: NodePair) throws -> GlitchCount {
    try #require(GlitchCount([try pair.a.node.status(), try pair.b.node.status()]))
  }
}
