import Media
import TestKit

/// A codec whose payloads are 16-bit samples, and whose concealment is the worst there is: the last 5 ms again and
/// again, back and forth, so that nothing of it jumps.
enum WaveformCodec {
  static let frames = 480
  /// What concealment repeats.
  static let loopFrames = 240
  /// After concealment sound comes in over the loop so slowly, as with real codecs.
  private static let fadeFrames = 120

  /// A payload of 10 ms.
  static func payload(_ pcm: ArraySlice<Float>) -> [UInt8] {
    var result = [ToneCodec.tableOfContents(frames: frames)]
    for sample in pcm {
      let value = Int16(max(-1, min(1, sample)) * 32767)
      result.append(UInt8(truncatingIfNeeded: value))
      result.append(UInt8(truncatingIfNeeded: value >> 8))
    }
    return result
  }

  /// The decoding half.
  final class Decoder: FrameDecoder {
    private var last = [Float](repeating: 0, count: loopFrames)
    /// How many frames were made up since the last that came; the loop is gone through backwards first.
    private var concealedFrames = 0

    func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
      guard payload.byteCount == 2 * frames + 1, pcm.count >= frames else { return -1 }
      for index in 0..<frames {
        let value = unsafe payload.unsafeLoadUnaligned(
          fromByteOffset: 1 + 2 * index, as: Int16.self)
        pcm[index] = Float(value) / 32767
      }
      for index in 0..<(concealedFrames > 0 ? fadeFrames : 0) {
        let share = Float(index + 1) / Float(fadeFrames)
        pcm[index] = share * pcm[index] + (1 - share) * nextOfLoop()
      }
      for index in 0..<loopFrames { last[index] = pcm[frames - loopFrames + index] }
      concealedFrames = 0
      return frames
    }

    func conceal(into pcm: inout MutableSpan<Float>) -> Int {
      for index in pcm.indices { pcm[index] = nextOfLoop() }
      return pcm.count
    }

    func reset() {
      for index in last.indices { last[index] = 0 }
      concealedFrames = 0
    }

    private func nextOfLoop() -> Float {
      let place = concealedFrames % (2 * loopFrames)
      concealedFrames += 1
      return last[place < loopFrames ? loopFrames - 1 - place : place - loopFrames]
    }
  }
}
