import Media
import TestKit
import Testing

/// A gap too long to be concealed: how it begins, what is heard in it, how it ends.
@Suite struct LongGapTests {
  private static let lengths = [20, 50, 90, 100, 110, 150, 400, 1000, 2000]

  @Test(arguments: lengths, [0, 3, 7, 20, 50, 75])
  func `no jump is larger than those of speech`(milliseconds: Int, laterPackets: Int) {
    let call = GapCall(gapMilliseconds: milliseconds, laterPackets: laterPackets)
    let around = call.heard[(call.gap.lowerBound - 240)...]
    #expect(GapCall.greatestStep(around) <= 1.1 * GapCall.greatestStep(call.speech))
  }

  @Test(arguments: [0, 3, 7, 20, 50, 75])
  func `within 100 milliseconds only the room is left`(laterPackets: Int) {
    let call = GapCall(gapMilliseconds: 1000, laterPackets: laterPackets)
    for frame in stride(from: 4800, to: 47_000, by: 480) {
      let ratio = call.meanSquare(frame) / GapCall.roomMeanSquare
      #expect((0.4...2.5).contains(ratio), "\(frame / 48) ms into the gap: \(ratio)")
    }
  }

  @Test(arguments: [0, 7, 20])
  func `the level only falls on the way there`(laterPackets: Int) {
    let call = GapCall(gapMilliseconds: 400, laterPackets: laterPackets)
    for frame in stride(from: 960, to: 4800, by: 480) {
      let before = call.meanSquare(frame - 480)
      #expect(call.meanSquare(frame) <= max(1.2 * before, 2 * GapCall.roomMeanSquare))
    }
  }

  @Test(arguments: [0, 7])
  func `what is heard in a gap never repeats`(laterPackets: Int) {
    let call = GapCall(gapMilliseconds: 1000, laterPackets: laterPackets)
    let room = Array(call.heard[(call.gap.lowerBound + 4800)..<(call.gap.upperBound - 480)])
    let power = room.reduce(0) { $0 + $1 * $1 }
    #expect(power > 0)
    for lag in stride(from: 24, to: 9600, by: 4) {
      var sum: Float = 0
      for index in lag..<room.count { sum += room[index] * room[index - lag] }
      #expect(abs(sum) < 0.05 * power, "lag \(lag)")
    }
  }

  @Test(arguments: [110, 150, 400, 1000, 2000])
  func `speech fades in and is whole after 25 milliseconds`(milliseconds: Int) {
    let call = GapCall(gapMilliseconds: milliseconds)
    let delay = call.gap.lowerBound - GapCall.gapStartFrame
    // A stream that was away so long need not start with the delay it had.
    let more = (-960...960).first { more in
      let first = call.gap.upperBound + more + 1200
      return (first..<first + 960).allSatisfy {
        abs(call.heard[$0] - call.speech[$0 - delay - more]) < 1e-3
      }
    }
    #expect(more != nil)
    let first = call.gap.upperBound + (more ?? 0)
    let heard = GapCall.meanSquare(call.heard[first..<first + 120])
    let said = GapCall.meanSquare(
      call.speech[(GapCall.gapStartFrame + call.gap.count)...].prefix(120))
    #expect(heard < 0.05 * said + 4 * GapCall.roomMeanSquare)
    #expect(call.statistics.starts == 2 && call.statistics.jumps == 0)
  }

  @Test func `the room fades away when nothing comes back`() {
    let call = GapCall(gapMilliseconds: 4000, afterMilliseconds: 100)
    let half = call.meanSquare(4800 + 96_000 + 24_000)
    #expect((0.1...0.5).contains(half / GapCall.roomMeanSquare))
    let silence = call.heard[(call.gap.lowerBound + 150_000)..<(call.gap.upperBound - 480)]
    #expect(silence.allSatisfy { $0 == 0 })
    let fading = call.heard[(call.gap.lowerBound + 4800)..<(call.gap.lowerBound + 150_000)]
    #expect(GapCall.greatestStep(fading) < 12 * GapCall.roomMeanSquare.squareRoot())
  }

  @Test func `whoever says that nobody talks ends the room too`() {
    let call = GapCall(gapMilliseconds: 400, notice: true)
    let after = call.heard[(call.gap.upperBound + 4800)...]
    #expect(after.allSatisfy { $0 == 0 })
    #expect(call.statistics.notices == 1)
  }
}
