import TestKit
import Testing

@testable import Media

@Suite struct QualityMeterTests {
  /// A second of a stream in packets of 10 ms.
  private struct Stream {
    var counts = PeerStreamStatistics()
    var meter = QualityMeter()

    init() {
      counts.codedBitsPerSecond = 64_000
      counts.packetFrames = 480
      counts.isTalking = true
      talk(seconds: 10)
    }

    /// `recovered` of the packets do not come, and are decoded from those after them.
    mutating func talk(seconds: Int, lost: Int = 0, recovered: Int = 0) {
      for _ in 0..<seconds {
        counts.isTalking = true
        counts.received += 100 - lost - recovered
        counts.played += 100 - lost
        counts.repaired += recovered
        counts.recovered += recovered
        counts.lost += lost
        meter.observe(counts, roundTrip: nil)
      }
    }

    /// Signs of life.
    mutating func pause(seconds: Int) {
      for _ in 0..<seconds {
        counts.isTalking = false
        counts.received += 2
        counts.notices += 2
        meter.observe(counts, roundTrip: nil)
      }
    }

    mutating func breakOff(seconds: Int) {
      for _ in 0..<seconds { meter.observe(counts, roundTrip: nil) }
    }

    var figure: Double { meter.quality?.figure ?? -1 }
    var reason: String { meter.quality?.reason ?? "" }
  }

  @Test func `nothing is known before the first sound`() {
    var meter = QualityMeter()
    meter.observe(PeerStreamStatistics(), roundTrip: nil)
    #expect(meter.quality == nil)
  }

  @Test func `a stream that breaks off is not heard`() {
    var stream = Stream()
    #expect(stream.figure > 4.5)
    stream.breakOff(seconds: 4)
    #expect(stream.figure == 0)
    #expect(stream.reason == "no packets arrive")
    stream.talk(seconds: 1)
    #expect(stream.figure > 4)
  }

  @Test func `a pause is no break`() {
    var stream = Stream()
    stream.pause(seconds: 600)
    #expect(stream.figure > 4.5)
    #expect(stream.reason.hasPrefix("no loss"))
    stream.breakOff(seconds: 4)
    #expect(stream.figure > 4.5)
  }

  @Test func `loss before a pause is forgotten in it`() {
    var stream = Stream()
    stream.talk(seconds: 10, lost: 20)
    let before = stream.figure
    #expect(before < 3)
    stream.pause(seconds: 3)
    #expect(stream.figure < 4)
    stream.pause(seconds: 60)
    #expect(stream.figure > 4.5)
    #expect(stream.reason.hasPrefix("no loss"))
  }

  @Test func `repair before a pause is forgotten in it`() {
    var stream = Stream()
    stream.talk(seconds: 10, recovered: 20)
    #expect(stream.reason.contains("repaired by in-band FEC"))
    stream.pause(seconds: 60)
    stream.talk(seconds: 3, lost: 2)
    #expect(stream.reason.contains("not repaired"), "\(stream.reason)")
  }

  /// The same on a link, through a stream: the speech of a peer whose way is cut.
  @Test func `a link that is cut is seen`() {
    let scenario = StreamScenario(ScenarioSettings())
    var meter = QualityMeter()
    scenario.run(milliseconds: 3000)
    meter.observe(scenario.stream.statistics, roundTrip: nil)
    scenario.link.model.loss = 1
    for _ in 0..<3 {
      scenario.run(milliseconds: 1000)
      meter.observe(scenario.stream.statistics, roundTrip: nil)
    }
    #expect(meter.quality?.figure == 0)
  }
}
