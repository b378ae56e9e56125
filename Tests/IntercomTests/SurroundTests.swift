import Audio
import Glibc
import Habits
import Lines
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom

/// Talkers are heard from around the head.
@Suite struct SurroundTests {
  private let network = VirtualNetwork()

  /// Anna listens to Bert, who hums.
  private func listen() throws -> (anna: VirtualNode, bert: VirtualNode) {
    let anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat(sampleRate: 48_000))
    let bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    bert.mic = { Float(0.3 * sin(2 * .pi * 1000 * Double($0) / 48_000)) }
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    return (anna, bert)
  }

  /// How much louder the right ear is than the left, dB, of the last second.
  private func balance(_ node: VirtualNode) -> Double {
    func level(_ sound: [Float]) -> Double {
      10 * log10(sound.suffix(48_000).reduce(1e-12) { $0 + Double($1) * Double($1) })
    }
    return level(node.heardRight) - level(node.heard)
  }

  @Test func `a peer is heard from where the user put it, until the user lets it go`() throws {
    let (anna, _) = try listen()
    network.run(seconds: 2)
    #expect(abs(balance(anna)) < 0.1)
    for (azimuth, least) in [(90.0, 5.0), (-90, 5)] {
      try anna.station.roster.change("Bert") {
        $0.place = HeadPlace(azimuthDegrees: azimuth, elevationDegrees: 0)
      }
      network.run(seconds: 3)
      #expect(balance(anna) * (azimuth < 0 ? -1 : 1) > least)
      let status = try #require(anna.statuses(network).first)
      #expect(status.azimuthDegrees == azimuth && status.elevationDegrees == 0)
    }
    try anna.station.roster.change("Bert") { $0.place = nil }
    network.run(seconds: 3)
    #expect(abs(balance(anna)) < 0.1)
    #expect(anna.statuses(network).first?.azimuthDegrees == nil)
  }

  @Test func `talkers are spread while that is wanted, and a pan is a direction then`() throws {
    let (anna, _) = try listen()
    let follow = anna.station.streams.ear.follow
    follow(try EarSettings(["places": "spread"], priorities: [:]))
    try anna.station.roster.change("Bert") { $0.pan = 0.5 }
    network.run(seconds: 3)
    #expect(anna.statuses(network).first?.azimuthDegrees == 45)
    #expect(balance(anna) > 3)
    follow(try EarSettings(["places": "off"], priorities: [:]))
    try anna.station.roster.change("Bert") { $0.pan = 0 }
    network.run(seconds: 3)
    #expect(anna.statuses(network).first?.azimuthDegrees == nil)
    #expect(abs(balance(anna)) < 0.1)
  }

  @Test func `lines are around the head, and who is on one beside each other`() throws {
    let slots = PeerSlot.all
    func azimuth(_ line: UInt64, _ slot: Int, pan: Float = 0) -> Double {
      Surround.spread(pan: pan, places: 1 << line, slot: slots[slot]).azimuthDegrees
    }
    #expect((0..<4).map { azimuth($0, 0) } == [0, -90, 90, 180])
    #expect((0..<5).map { azimuth(0, $0) } == [0, -20, 20, -40, 40])
    #expect(azimuth(3, 3) == 140)
    #expect(azimuth(2, 3, pan: -1) == -90)
    #expect(Surround.spread(pan: 0, places: 0, slot: slots[0]).azimuthDegrees == 0)
  }

  @Test func `where the library is missing that is told once, and all are heard by their pan`()
    throws
  {
    let reads = Mutex(0)
    let reserve = HeadTableReserve(runAside: { $0() }) { _ in
      reads.withLock { $0 += 1 }
      return .failure(HeadTable.Missing(words: "no heads"))
    }
    let told = Mutex<[String]>([])
    let surround = Surround(engine: try AudioEngine(wakeDescriptor: -1), reserve: reserve) {
      event in
      if case .audioFault(let fault) = event { told.withLock { $0.append("\(fault)") } }
    }
    let (anna, _) = try listen()
    network.run(seconds: 2)
    let stream = try #require(anna.station.playout.streams.first)
    for _ in 0..<3 {
      surround.apply(HeadPlace(azimuthDegrees: 30, elevationDegrees: 0), to: stream.slot)
      for _ in 0..<3 { #expect(!surround.follow(sampleRate: 48_000)) }
    }
    #expect(surround.place(of: stream.slot) == nil)
    #expect(reads.withLock { $0 } == 1)
    #expect(told.withLock { $0 } == ["no heads"])
  }
}
