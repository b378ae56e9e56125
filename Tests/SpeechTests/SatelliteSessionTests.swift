import TestKit
import Testing

@testable import Speech

/// A satellite's end of a connection, without one.
@Suite struct SatelliteSessionTests {
  private func session() -> SatelliteSession { SatelliteSession(name: "Stage", version: "1.2.3") }

  private func sent(_ session: inout SatelliteSession) throws -> [WyomingEvent] {
    var decoder = WyomingDecoder()
    decoder.append(session.takeOutgoing())
    var events: [WyomingEvent] = []
    while let event = try decoder.next() { events.append(event) }
    return events
  }

  @Test func `it says what it is, and answers a ping`() throws {
    var session = session()
    session.receive(WyomingEvent("describe").octets)
    session.receive(WyomingEvent("ping", ["text": .string("a")]).octets)
    let events = try sent(&session)
    #expect(events.map(\.type) == ["info", "pong"])
    #expect(events[0].data["satellite"]?["name"] == .string("Stage"))
    #expect(events[1].data["text"] == .string("a"))
    #expect(session.takeOrders().isEmpty)
  }

  @Test func `the microphone goes out from run to pause`() throws {
    var session = session()
    session.append(sound: [1, 2])
    #expect(session.takeOutgoing().isEmpty)
    session.receive(WyomingEvent("run-satellite").octets)
    session.receive(WyomingEvent("run-satellite").octets)
    session.append(sound: [3, 4])
    let events = try sent(&session)
    #expect(events.map(\.type) == ["run-pipeline", "audio-chunk"])
    #expect(events[0].data["start_stage"] == .string("wake"))
    #expect(events[1].payload == [3, 4] && events[1].data == SoundFormat.speech.data)
    session.receive(WyomingEvent("pause-satellite").octets)
    session.append(sound: [5, 6])
    #expect(session.takeOutgoing().isEmpty)
    #expect(session.takeOrders() == [.listen, .pause])
  }

  @Test func `sound is handed on in order, and told of once it was heard`() throws {
    var session = session()
    let format = SoundFormat(rate: 22_050, channels: 1)
    for event in [
      WyomingEvent("transcript", ["text": .string("hello")]),
      WyomingEvent("audio-start", format.data),
      WyomingEvent("audio-chunk", format.data, payload: [1, 2]), WyomingEvent("audio-stop"),
      WyomingEvent("audio-stop"),
    ] {
      session.receive(event.octets)
    }
    #expect(session.takeOrders() == [.soundBegins(format), .sound([1, 2]), .soundEnds])
    session.played()
    #expect(try sent(&session).map(\.type) == ["played"])
  }

  @Test(arguments: [
    WyomingEvent("audio-start", ["rate": .integer(1)]), WyomingEvent("audio-chunk", payload: [1]),
    WyomingEvent("audio-chunk", SoundFormat.speech.data, payload: [1]),
  ])
  func `sound that cannot be is a fault, and nothing is taken after it`(event: WyomingEvent) {
    var session = session()
    session.receive(event.octets)
    #expect(session.fault == .malformed)
    session.receive(WyomingEvent("run-satellite").octets)
    #expect(!session.isListening && session.takeOutgoing().isEmpty)
  }

  @Test func `without an end sound is not taken for ever`() {
    var session = session()
    let chunk = WyomingEvent(
      "audio-chunk", SoundFormat.speech.data, payload: [UInt8](repeating: 0, count: 1 << 20))
    for _ in 0...(SpeechLimits.soundBytes >> 20) { session.receive(chunk.octets) }
    #expect(session.fault == .oversized)
  }

  @Test(arguments: Seeds.first(200))
  func `whatever comes, it neither traps nor sends the microphone unasked`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let good = [
      WyomingEvent("describe"), WyomingEvent("ping", ["text": .string("x")]),
      WyomingEvent("pause-satellite"), WyomingEvent("audio-start", SoundFormat.speech.data),
      WyomingEvent("audio-chunk", SoundFormat.speech.data, payload: [1, 2, 3, 4]),
      WyomingEvent("audio-stop"), WyomingEvent("detection", ["name": .null]),
    ]
    for _ in 0..<100 {
      var session = session()
      var octets = (0..<4).flatMap { _ in good.randomElement(using: &random)?.octets ?? [] }
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let index = octets.indices.randomElement(using: &random) ?? 0
        octets[index] = UInt8.random(in: 0...255, using: &random)
      }
      var rest = octets[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...40, using: &random)
        session.receive(rest.prefix(count))
        rest = rest.dropFirst(count)
        session.append(sound: [9, 9])
      }
      #expect(session.takeOrders().count <= 8, "seed \(seed)")
      #expect(!session.isListening, "seed \(seed)")
    }
  }
}
