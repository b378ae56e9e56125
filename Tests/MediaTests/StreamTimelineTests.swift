import RTP
import Testing

@testable import Media

/// Where packets are put, at the ends of what a count can hold.
@Suite struct StreamTimelineTests {
  private static let second: Int64 = 1_000_000_000

  private func header(_ number: UInt16, _ timestamp: UInt32) -> RTPHeader {
    RTPHeader(
      marker: false, payloadType: 111, sequenceNumber: SequenceNumber(rawValue: number),
      timestamp: RTPTimestamp(rawValue: timestamp), ssrc: SSRC(rawValue: 1))
  }

  /// Each packet steps two seconds, as far as a sender may:
  /// some thousand million of them would be beyond what nanoseconds can tell.
  @Test(arguments: [1, -1] as [Int64])
  func `a timeline that was driven too far ends`(direction: Int64) throws {
    let step = UInt32(truncatingIfNeeded: direction * 96_000)
    var timeline = StreamTimeline(
      first: header(0, 0), arrivalNanoseconds: 0, reach: 128,
      firstFrame: direction * (StreamTimeline.greatestFrame - 200_000))
    for index in 1...2 {
      let place = timeline.place(
        of: header(UInt16(index), step &* UInt32(index)), arrivalNanoseconds: 0)
      #expect(try #require(place).frame.magnitude < StreamTimeline.greatestFrame.magnitude)
    }
    let beyond = timeline.place(of: header(3, step &* 3), arrivalNanoseconds: 0)
    #expect(beyond == nil)
    // What is left of it is still in its place.
    let last = timeline.place(of: header(2, step &* 2), arrivalNanoseconds: 0)
    #expect(last != nil)
  }

  @Test func `the longest talk there is fits`() {
    let century = 100 * 366 * 24 * 3600 * Int64(MediaClock.framesPerSecond)
    // Some 46 years: then the sender is taken for one that started anew.
    #expect(StreamTimeline.greatestFrame > century / 3)
    #expect(MediaClock.nanoseconds(frames: StreamTimeline.greatestFrame) > 0)
  }
}
