import Media
import Testing

@Suite struct ConnectionQualityTests {
  private static func reading(
    _ change: (inout ConnectionQuality.Reading) -> Void
  ) -> ConnectionQuality.Reading {
    var reading = ConnectionQuality.Reading()
    reading.codedBitsPerSecond = 64_000
    reading.playoutMilliseconds = 8
    reading.roundTripMilliseconds = 2
    change(&reading)
    return reading
  }

  static let judged: [(ConnectionQuality.Reading, figure: Double, reason: String)] = [
    (reading { _ in }, 4.8, "no loss; playout 8 ms"),
    (
      reading {
        ($0.lostShare, $0.burstPackets, $0.copiedShare) = (0.12, 3, 0.115)
        ($0.unheardShare, $0.playoutMilliseconds) = (0.005, 48)
      }, 4.5, "12 % loss in bursts of 3, repaired by copies; playout 48 ms"
    ),
    (
      reading {
        ($0.lostShare, $0.unheardShare) = (0.05, 0.05)
      }, 3.1, "5 % loss, not repaired; playout 8 ms"
    ),
    (
      reading {
        ($0.lostShare, $0.resentShare, $0.unheardShare) = (0.018, 0.01, 0.008)
      }, 4.4, "1.8 % loss, partly repaired by RTX, 0.8 % concealed; playout 8 ms"
    ),
    (
      // Who has few bits a second is coded by the speech mode, which keeps more.
      reading {
        ($0.codedBitsPerSecond, $0.framesPerPacket, $0.isSpeech) = (20_000, 1920, true)
      }, 4.3, "no loss; playout 8 ms"
    ),
    (reading { $0.isInterrupted = true }, 0, "no packets arrive"),
    (
      reading {
        ($0.roundTripMilliseconds, $0.codedBitsPerSecond) = (400, 16_000)
      }, 2.7, "no loss; playout 8 ms; round trip 400 ms; coded at 16 kbit/s"
    ),
    (
      reading { ($0.lateShare, $0.unheardShare) = (0.02, 0.02) }, 4.0,
      "2 % concealed; 2 % late; playout 8 ms"
    ),
    (
      reading { ($0.lostShare, $0.unheardShare, $0.burstPackets) = (1, 1, 4) }, 0.6,
      "100 % loss in bursts of 4, not repaired; playout 8 ms"
    ),
  ]

  @Test(arguments: judged)
  func `a reading has a figure and words`(
    reading: ConnectionQuality.Reading, figure: Double, reason: String
  ) {
    let quality = ConnectionQuality(reading)
    #expect(quality.reason == reason)
    #expect(abs(quality.figure - figure) < 0.15, "\(quality.figure)")
  }

  @Test func `worse is never better`() {
    var before = 5.0
    for percent in 0...100 {
      let figure = ConnectionQuality(Self.reading { $0.unheardShare = Double(percent) / 100 })
        .figure
      #expect(figure <= before && figure >= 0)
      before = figure
    }
    before = 5
    for delay in stride(from: 0.0, to: 5000, by: 50) {
      let figure = ConnectionQuality(Self.reading { $0.roundTripMilliseconds = delay }).figure
      #expect(figure <= before && figure >= 0)
      before = figure
    }
    before = 5
    for rate in [510_000, 128_000, 64_000, 40_000, 32_000, 24_000, 16_000, 12_000, 6000, 1000] {
      let figure = ConnectionQuality(Self.reading { $0.codedBitsPerSecond = rate }).figure
      #expect(figure <= before && figure >= 0)
      before = figure
    }
  }
}
