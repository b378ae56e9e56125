import Audio
import Habits
import Testing

@testable import Intercom

/// Buses with ports of their own are recorded as they are mixed, beside the mix and on its time line.
@Suite struct StationBusRecordingTests {
  private let network = VirtualNetwork()
  private let anna: VirtualNode
  private let bert: VirtualNode

  init() throws {
    anna = try VirtualNode(
      "Anna", at: .host(1), beat: VirtualNode.Beat(),
      adjust: { configuration in
        var without = BusSettings(name: "ifb")
        without.members["Bert"] = -.infinity
        configuration.buses = [BusSettings(name: "foh"), without]
      })
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    bert.mic = Tone(hertz: 440).sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    // The rings of the buses are full by then.
    network.run(seconds: 3)
  }

  private func record(_ names: [String]) throws -> TapeReader {
    let reader = TapeReader(
      try TapeDeck(
        sampleRate: 48_000, keepsTalkers: true, keepsMix: true,
        buses: try anna.station.buses.taped(names), talkers: 2))
    anna.station.beginRecording(on: reader.deck)
    return reader
  }

  /// Whether a bus has what the mix has, in the middle of which a talker is 3 dB quieter, frame by frame.
  private func isAligned(_ bus: [Float], _ mix: [Float]) -> Bool {
    let gain = Float(0.5).squareRoot()
    // The mix' bus opens with the recording, and fades in.
    let both = zip(bus, mix).dropFirst(1024)
    return both.contains { $0.0.magnitude > 0.01 }
      && both.allSatisfy { abs($0 * gain - $1) < 1e-5 }
  }

  @Test func `a bus is on a tape of its own, aligned with the mix, and has who is on it`() throws {
    let reader = try record(["foh", "ifb"])
    for _ in 0..<3 {
      network.run(seconds: 1)
      try reader.drain()
    }
    let (foh, ifb) = (try #require(reader.buses["bus_foh"]), reader.buses["bus_ifb"])
    #expect(foh.count == reader.left.count && foh.count > 140_000)
    #expect(isAligned(foh, reader.left))
    #expect(ifb?.allSatisfy { $0 == 0 } == true)
    #expect(reader.deck.lostFrames == 0)
    // It has another gain than the ear.
    try anna.station.roster.change("Bert") { $0.isMuted = true }
    network.run(seconds: 1)
    try reader.drain()
    #expect(reader.left.suffix(9600).allSatisfy { abs($0) < 1e-6 })
    #expect(reader.buses["bus_foh"]?.suffix(9600).contains { $0.magnitude > 0.01 } == true)
  }

  @Test func `a second recording of a bus begins with what is said then`() throws {
    let first = try record(["foh"])
    network.run(seconds: 1)
    try first.drain()
    anna.station.endRecording(on: first.deck)
    network.run(seconds: 2)
    let (second, other) = (try record(["foh"]), try record([]))
    network.run(seconds: 1)
    for reader in [second, other] { try reader.drain() }
    #expect(isAligned(try #require(second.buses["bus_foh"]), second.left))
    #expect(other.buses.isEmpty && other.left.suffix(9600).contains { $0.magnitude > 0.01 })
  }

  @Test func `a bus that there is not cannot be recorded`() throws {
    #expect(throws: IntercomError.self) { try anna.station.buses.taped(["foh", "pgm"]) }
    #expect(try anna.station.buses.taped(["foh", "foh"]).map(\.name) == ["bus_foh"])
  }
}
