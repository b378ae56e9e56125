import Media
import TestKit

/// A codec whose payloads are 16-bit samples, and whose concealment is the worst there is: the last 5 ms again and again.
enum WaveformCodec {
  static let frames = 480
  /// What concealment repeats.
  static let loopFrames = 240

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
    private var loopIndex = 0

    func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
      guard payload.byteCount == 2 * frames + 1, pcm.count >= frames else { return -1 }
      for index in 0..<frames {
        let value = unsafe payload.unsafeLoadUnaligned(
          fromByteOffset: 1 + 2 * index, as: Int16.self)
        pcm[index] = Float(value) / 32767
      }
      for index in 0..<loopFrames { last[index] = pcm[frames - loopFrames + index] }
      loopIndex = 0
      return frames
    }

    func conceal(into pcm: inout MutableSpan<Float>) -> Int {
      for index in pcm.indices {
        pcm[index] = last[loopIndex]
        loopIndex = (loopIndex + 1) % loopFrames
      }
      return pcm.count
    }

    func reset() { for index in last.indices { last[index] = 0 } }
  }
}
