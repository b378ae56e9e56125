import Audio
import Media
import Testing

@testable import Intercom

@Suite struct BeatTests {
  private static let periodNanoseconds: Int64 = 1_333_333

  private func period(
    _ count: UInt64 = 1, at callback: Int64, frames: Int = 64, rate: Int = 48_000
  ) -> PeriodTime {
    PeriodTime(
      count: count, startNanoseconds: 0, nextNanoseconds: 0, callbackNanoseconds: callback,
      frameTime: 0, periodFrames: frames, sampleRate: rate)
  }

  /// A beat after `count` callbacks whose latenesses repeat the table.
  private func beat(after count: Int, latenesses: [Int64], offset: Int64 = 0) -> Beat {
    var beat = Beat()
    for index in 0..<count {
      let callback =
        offset + Int64(index) * Self.periodNanoseconds + latenesses[index % latenesses.count]
      beat.update(period(UInt64(index + 1), at: callback), nowNanoseconds: callback + 20_000)
    }
    return beat
  }

  @Test func `a fresh period beats and an old one does not`() {
    var beat = Beat()
    #expect(!beat.isRunning)
    beat.update(period(at: 1_000_000_000), nowNanoseconds: 1_000_100_000)
    #expect(beat.isRunning)
    beat.update(period(at: 1_000_000_000), nowNanoseconds: 1_300_000_000)
    #expect(!beat.isRunning)
    beat.update(nil, nowNanoseconds: 1_300_000_000)
    #expect(!beat.isRunning)
  }

  @Test func `a long period beats until the next is long overdue`() {
    var beat = Beat()
    let long = period(at: 0, frames: 4096, rate: 16_000)
    beat.update(long, nowNanoseconds: 511_000_000)
    #expect(beat.isRunning)
    beat.update(long, nowNanoseconds: 512_000_000)
    #expect(!beat.isRunning)
  }

  @Test(arguments: [(32, 4_000_000), (64, 4_000_000), (1024, 21_333_333)])
  func `decoding may begin some milliseconds ahead or a period but not before`(
    frames: Int, most: Int64
  ) {
    var beat = Beat()
    beat.update(period(at: 1000, frames: frames), nowNanoseconds: 1000)
    let period = beat.periodNanoseconds
    #expect(beat.grid(leadNanoseconds: 100_000).leadNanoseconds == 100_000)
    #expect(beat.grid(leadNanoseconds: most).leadNanoseconds == most)
    #expect(beat.grid(leadNanoseconds: most + 1).leadNanoseconds == most)
    #expect(beat.grid(leadNanoseconds: 0).beatNanoseconds == 1000 + period)
  }

  @Test func `the prediction follows the earliest of jittering callbacks`() {
    let beat = beat(after: 200, latenesses: [90_000, 20_000, 150_000, 40_000, 300_000])
    let expected = 200 * Self.periodNanoseconds + 20_000
    #expect(abs(beat.grid(leadNanoseconds: 0).beatNanoseconds - expected) <= 1000)
  }

  @Test func `a callback that comes early moves the prediction at once`() {
    var beat = beat(after: 100, latenesses: [0])
    let early = 100 * Self.periodNanoseconds - 1_000_000
    beat.update(period(101, at: early), nowNanoseconds: early + 1000)
    #expect(beat.grid(leadNanoseconds: 0).beatNanoseconds == early + Self.periodNanoseconds)
  }

  @Test func `a time line that slips is found again within a hundred milliseconds`() {
    var beat = beat(after: 100, latenesses: [0])
    let slip: Int64 = 5_000_000
    var callback: Int64 = 0
    for index in 100..<175 {
      callback = Int64(index) * Self.periodNanoseconds + slip
      beat.update(period(UInt64(index + 1), at: callback), nowNanoseconds: callback)
    }
    #expect(
      abs(beat.grid(leadNanoseconds: 0).beatNanoseconds - callback - Self.periodNanoseconds) <= 1000
    )
  }

  @Test func `missed callbacks do not shift the prediction`() {
    var beat = beat(after: 100, latenesses: [0])
    let callback = 110 * Self.periodNanoseconds
    beat.update(period(111, at: callback), nowNanoseconds: callback)
    #expect(
      abs(beat.grid(leadNanoseconds: 0).beatNanoseconds - callback - Self.periodNanoseconds) <= 1000
    )
  }

  @Test func `a rate change is told once and starts anew`() {
    var beat = Beat()
    beat.update(period(at: 0), nowNanoseconds: 1)
    let first = beat.rateChanged()
    beat.update(period(2, at: 700_000, rate: 44_100), nowNanoseconds: 700_001)
    let second = beat.rateChanged()
    let third = beat.rateChanged()
    #expect([first, second, third] == [false, true, false])
    #expect(beat.grid(leadNanoseconds: 0).beatNanoseconds == 700_000 + beat.periodNanoseconds)
  }

  @Test func `without Jacks beat a timer takes over`() {
    let beat = Beat()
    #expect(beat.drainNanoseconds(isAlert: false, isHasty: true) <= 20_000_000)
    #expect(beat.drainNanoseconds(isAlert: true, isHasty: true) >= 50_000_000)
  }

  @Test func `frames in the ring delay playout`() {
    var beat = Beat()
    beat.update(period(at: 0), nowNanoseconds: 1)
    #expect(beat.playoutNanoseconds(fillFrames: 0) == beat.periodNanoseconds)
    #expect(beat.playoutNanoseconds(fillFrames: 48) == beat.periodNanoseconds + 1_000_000)
  }

  /// The clock tells of a stop at its end, the count of periods a callback later.
  @Test(arguments: [100, 250, 1000, 5000])
  func `a hole moves the line on once`(milliseconds: Int) {
    var beat = beat(after: 100, latenesses: [0])
    let start = beat.lineFrames
    let end = 99 * Self.periodNanoseconds + Int64(milliseconds) * 1_000_000
    // A look meanwhile finds no beat, if it is long enough.
    beat.update(period(100, at: 99 * Self.periodNanoseconds), nowNanoseconds: end - 1000)
    beat.update(period(101, at: end), nowNanoseconds: end)
    let missed = UInt64((milliseconds * 48 - 64) / 64)
    for index in 1...40 {
      let callback = end + Int64(index) * Self.periodNanoseconds
      beat.update(period(101 + missed + UInt64(index), at: callback), nowNanoseconds: callback)
    }
    let expected = Int64(milliseconds * 48 + 40 * 64)
    #expect(abs(beat.lineFrames - start - expected) <= 128)
  }
}
