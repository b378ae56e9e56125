import TestKit
import Testing

@testable import Speech

/// Octets of services: whole, in pieces, and such that no honest service sends.
@Suite struct WyomingDecoderTests {
  private func events(_ octets: [UInt8], piece: Int) throws -> [WyomingEvent] {
    var decoder = WyomingDecoder()
    var events: [WyomingEvent] = []
    var rest = octets[...]
    while !rest.isEmpty {
      decoder.append(rest.prefix(piece))
      rest = rest.dropFirst(piece)
      while let event = try decoder.next() { events.append(event) }
    }
    return events
  }

  @Test(arguments: [1, 2, 7, 4096])
  func `an event is read from whatever pieces it comes in`(piece: Int) throws {
    let sent = [
      WyomingEvent("describe"),
      WyomingEvent("audio-chunk", SoundFormat.speech.data, payload: Array(0...255) + [10, 13]),
      WyomingEvent("transcript", ["text": .string("grüß dich\n\u{202E}שלום"), "a": .null]),
    ]
    #expect(try events(sent.flatMap(\.octets), piece: piece) == sent)
  }

  @Test func `data after the line is added to that in the line, and holds against it`() throws {
    let data = #"{"text":"new","b":[1,2.5,true]}"#
    let line =
      #"{"type":"transcript","data":{"text":"old","a":1},"data_length":\#(data.utf8.count)}"#
    let event = try #require(try events(Array((line + "\n" + data).utf8), piece: 5).first)
    #expect(event.data["text"] == .string("new"))
    #expect(event.data["a"] == .integer(1))
    #expect(event.data["b"] == .array([.integer(1), .number(2.5), .boolean(true)]))
  }

  @Test(arguments: [
    "\n", "hello\n", "[]\n", #"{"typ":"x"}"# + "\n", #"{"type":5}"# + "\n", #"{"type":""}"# + "\n",
    #"{"type":"a","data":[]}"# + "\n", #"{"type":"a","data_length":-1}"# + "\n",
    #"{"type":"a","data_length":1.5}"# + "\n", #"{"type":"a","payload_length":"7"}"# + "\n",
    #"{"type":"a","data_length":2}"# + "\n[]", #"{"type":"a","data_length":3}"# + "\n{}}",
  ])
  func `what is not Wyoming is refused`(text: String) {
    #expect(throws: SpeechFault.malformed) { try events(Array(text.utf8), piece: 4096) }
  }

  @Test func `what is nested deeper than any event is refused before it takes stack`() {
    let nested = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    let inside = #"{"type":"a","data":{"b":"# + nested + "}}\n"
    for text in [inside, String(repeating: "[", count: 100_000) + "\n"] {
      #expect(throws: SpeechFault.malformed) { try events(Array(text.utf8), piece: 4096) }
    }
  }

  @Test func `what is too long is refused before it is held`() {
    let texts = [
      #"{"type":"a","data_length":100000000}"# + "\n",
      #"{"type":"a","payload_length":9223372036854775807}"# + "\n",
      "{" + String(repeating: " ", count: SpeechLimits.lineBytes + 1),
    ]
    for text in texts {
      #expect(throws: SpeechFault.oversized) { try events(Array(text.utf8), piece: 65_536) }
    }
  }

  @Test func `damaged events are read or refused, never more`() throws {
    let sound = WyomingEvent("audio-chunk", SoundFormat.speech.data, payload: [1, 2, 3, 4]).octets
    var random = SplitMix64(seed: 7)
    for _ in 0..<2000 {
      var octets = sound + sound
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let index = Int.random(in: 0..<octets.count, using: &random)
        octets[index] = UInt8.random(in: 0...255, using: &random)
      }
      do {
        let read = try events(octets, piece: Int.random(in: 1...40, using: &random))
        #expect(read.count <= 2)
      } catch let fault as SpeechFault {
        #expect(fault == .malformed || fault == .oversized)
      }
    }
  }
}
