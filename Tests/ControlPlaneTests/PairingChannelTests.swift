import Cryptography
import Mesh
import Testing

@testable import ControlPlane

/// Connections on which two nodes pair.
@Suite struct PairingChannelTests {
  @Test func `frames go both ways, and each end knows who the other is`() async throws {
    let (one, other) = (try Station(), try Station())
    try await withStations(one, other) {
      let own = try await one.plane.openPairing(to: other.plane.localAddress)
      let others = try await other.recorder.pairing()
      #expect(own.peer == other.id && own.peerKey == other.identity.publicKey)
      #expect(others.peer == one.id && others.remote?.host == Station.loopback.host)
      let long = Array(repeating: UInt8(5), count: 64 * 1024)
      try await own.send([1])
      try await own.send(long)
      #expect(try await others.receive() == [1])
      #expect(try await others.receive() == long)
      try await others.send([2, 3])
      #expect(try await own.receive() == [2, 3])
      await #expect(throws: ControlPlaneError.self) { try await own.send([]) }
      await #expect(throws: ControlPlaneError.self) { try await own.send(long + [1]) }
      own.close()
      await #expect(throws: ControlPlaneError.self) { try await others.receive() }
    }
    #expect(one.plane.faultCounts.isEmpty && other.plane.faultCounts.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a whole pairing by PIN runs over it`(isRight: Bool) async throws {
    let (one, other) = (try Station(), try Station())
    try await withStations(one, other) {
      let own = try await one.plane.openPairing(to: other.plane.localAddress)
      let others = try await other.recorder.pairing()
      var offer = try PairingOffer(own: other.identity.publicKey, nowNanoseconds: 0)
      let shown = offer.pin.text
      let wrong = String(shown.reversed()) == shown ? "000001" : String(shown.reversed())
      var initiator = try PairingInitiator(
        own: one.identity.publicKey, peer: own.peerKey,
        pin: PairingPIN(typed: isRight ? shown : wrong))
      try await own.send(initiator.hello)
      let answer = try offer.answer(
        hello: try await others.receive(), from: others.peerKey, nowNanoseconds: 1)
      try await others.send(answer)
      try await own.send(try initiator.receive(answer: try await own.receive()))
      let proof = try await others.receive()
      guard isRight else {
        #expect(throws: CryptoError.pairing(.wrongPIN)) {
          _ = try offer.check(proof: proof, from: others.peerKey, nowNanoseconds: 2)
        }
        return
      }
      let success = try offer.check(proof: proof, from: others.peerKey, nowNanoseconds: 2)
      try await others.send(success.confirmation)
      let key = try initiator.receive(confirmation: try await own.receive())
      let isSame = key.isEqual(to: success.takeKey())
      #expect(isSame)
    }
  }

  @Test func `who says nothing is waited for a while, then the connection ends`() async throws {
    let (one, other) = (try Station(), try Station { $0.times.pairingNanoseconds = 200_000_000 })
    try await withStations(one, other) {
      let own = try await one.plane.openPairing(to: other.plane.localAddress)
      let others = try await other.recorder.pairing()
      await #expect(throws: ControlPlaneError.late(seconds: 0)) { try await others.receive() }
      await #expect(throws: ControlPlaneError.self) { try await own.receive() }
    }
  }

  @Test func `a frame that is too long, and a fifth pairing at once, are refused`() async throws {
    let station = try Station()
    try await withStations(station) {
      var manners = try Stranger.Manners.node(TestIdentity())
      manners.purposes = ["comlink-pair/1"]
      let liar = try await Stranger(station.plane.localAddress, manners)
      liar.send([0xFF, 0xFF, 0xFF, 0xFF])
      try await station.recorder.fault(.oversized)
      try await liar.ended()
      station.recorder.letGo()
      for source in 2..<6 as Range<UInt8> {
        _ = try await Stranger(station.plane.localAddress, manners, source: source)
        _ = try await station.recorder.pairing()
      }
      let fifth = try await Stranger(station.plane.localAddress, manners)
      try await station.recorder.fault(.pairingBusy)
      try await fifth.ended()
      for _ in 0..<4 { station.recorder.letGo() }
    }
  }

  @Test func `who opens pairings and says nothing takes one place, and again when that has ended`()
    async throws
  {
    let station = try Station()
    try await withStations(station) {
      var manners = try Stranger.Manners.node(TestIdentity())
      manners.purposes = ["comlink-pair/1"]
      let silent = try await Stranger(station.plane.localAddress, manners, source: 2)
      _ = try await station.recorder.pairing()
      for _ in 0..<8 {
        let more = try await Stranger(station.plane.localAddress, manners, source: 2)
        try await station.recorder.fault(.pairingBusy)
        try await more.ended()
      }
      let other = try Station()
      try await other.plane.start()
      _ = try await other.plane.openPairing(to: station.plane.localAddress)
      _ = try await station.recorder.pairing()
      await other.plane.stop()
      silent.close()
      try await silent.ended()
      for _ in 0..<2 { station.recorder.letGo() }
    }
  }

  @Test func `nobody there, or stopped: the words say so`() async throws {
    let one = try Station()
    try await withStations(one) {
      let nobody = NodeAddress(.ipv4(0x7F00_0001), port: 1)
      await #expect(throws: ControlPlaneError.connection(words: "Connection refused")) {
        _ = try await one.plane.openPairing(to: nobody)
      }
    }
    await #expect(throws: ControlPlaneError.stopped) {
      _ = try await one.plane.openPairing(to: Station.loopback)
    }
  }
}
