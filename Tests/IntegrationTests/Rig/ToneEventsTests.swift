import Foundation
import TestKit
import Testing

/// A judge of clicks is judged first.
@Suite struct ToneEventsTests {
  private static let rate = 48_000.0

  private static func tone(seconds: Double, hertz: Double = 440) -> [Float] {
    (0..<Int(seconds * rate)).map { Float(0.25 * sin(2 * .pi * hertz * Double($0) / rate)) }
  }

  private static func events(_ recording: [Float]) -> Int {
    ToneEvents.positions(in: recording, hertz: 440, sampleRate: rate).count
  }

  @Test(arguments: [440, 440.05, 439.9])
  func `a tone of a clock that differs has none`(hertz: Double) {
    #expect(Self.events(Self.tone(seconds: 2, hertz: hertz)) == 0)
  }

  @Test(arguments: [1, 3, 10])
  func `each hole of a millisecond is one`(count: Int) {
    var recording = Self.tone(seconds: 2)
    for hole in 0..<count {
      let start = 4800 + hole * 7321
      for index in start..<start + 48 { recording[index] = 0 }
    }
    #expect(Self.events(recording) == count)
  }

  @Test func `a cut in the midst of a period is one`() {
    var recording = Self.tone(seconds: 1)
    recording.removeSubrange(24_000..<24_040)
    #expect(Self.events(recording) == 1)
  }

  @Test func `half a second of silence is one`() {
    var recording = Self.tone(seconds: 2)
    for index in 24_000..<48_000 { recording[index] = 0 }
    #expect(Self.events(recording) == 1)
  }
}
