import Foundation
import TestKit
import Testing

@testable import Media

/// Where the sound of a late packet meets what was invented for it.
@Suite("Late joins") struct LateJoinTests {
  private static let (hertz, frames) = (440.0, 480)

  /// A tone, whose invention is ahead of it.
  private final class AheadDecoder: FrameDecoder {
    private let aheadFrames: Int
    private var place = 0
    private var kept = 0

    init(byFrames frames: Int) { aheadFrames = frames }

    func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
      write(into: &pcm, aheadBy: 0)
    }

    func conceal(into pcm: inout MutableSpan<Float>) -> Int {
      write(into: &pcm, aheadBy: aheadFrames)
    }

    func keep() -> Bool {
      kept = place
      return true
    }

    func goBack() { place = kept }

    func reset() { place = 0 }

    private func write(into pcm: inout MutableSpan<Float>, aheadBy frames: Int) -> Int {
      for index in pcm.indices {
        let turn = 2 * .pi * LateJoinTests.hertz * Double(place + index + frames) / 48_000
        pcm[index] = Float(0.5 * sin(turn))
      }
      place += pcm.count
      return pcm.count
    }
  }

  /// What is heard of 20 packets, the eleventh of which comes 2.5 ms late.
  private static func heard(aheadBy frames: Int) -> [Float] {
    var playback = Playback(decoder: AheadDecoder(byFrames: frames))
    playback.open()
    var heard: [Float] = []
    var pcm = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
    func emit() {
      var span = pcm.mutableSpan
      let count = playback.emit(into: &span)
      heard += pcm[..<count]
    }
    let payload = [ToneCodec.tableOfContents(frames: Self.frames)]
    let octets = payload.span
    for packet in 0..<20 {
      let isLate = packet == 10
      if isLate {
        let hasBegun = playback.beginInvention(frames: Self.frames)
        #expect(hasBegun)
        playback.conceal(frames: Playback.concealmentUnitFrames)
        emit()
      }
      let isSound = unsafe playback.decode(
        octets.bytes, frames: Self.frames, isTurnedBackTo: isLate,
        passed: isLate ? Playback.concealmentUnitFrames : nil)
      #expect(isSound)
      emit()
    }
    return heard
  }

  /// The invention itself begins with a step, at the end of the tenth packet.
  @Test(arguments: [0, 10, 25, 38])
  func `sound that comes late joins where it fits, so much sooner`(aheadFrames: Int) {
    let heard = Self.heard(aheadBy: aheadFrames)
    let left = 20 * Self.frames - heard.count
    // A hundredth of likeness is worth no frame.
    #expect((max(0, aheadFrames - 3)...aheadFrames).contains(left))
    let join = Array(heard[(10 * Self.frames + 10)...])
    #expect(ToneEvents.positions(in: join, hertz: Self.hertz, sampleRate: 48_000).isEmpty)
  }

  @Test func `where nothing fits all of it is played`() {
    // Half a period ahead and more is too far.
    #expect(Self.heard(aheadBy: 60).count == 20 * Self.frames)
  }
}
