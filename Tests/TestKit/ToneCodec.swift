import Glibc
public import Media
import RTP

/// A codec for tests: speech is a tone of 187.5 Hz, and a payload says where in it the frame begins.
///
/// So a test can tell what is played, when it was spoken, and whether it is continuous. Payloads
/// carry a true table of contents (RFC 6716 §3.1), those of 40 and 60 ms a true flag for in-band FEC (§4.2.3), and are
/// otherwise not Opus.
public enum ToneCodec {
  /// Frames of one period of the tone at 48 kHz; no codec frame is a multiple of its half, so that
  /// no join meets by chance.
  public static let toneFrames = 256
  /// Bytes of every payload.
  public static let payloadBytes = 22

  private static let table: [Float] = (0..<toneFrames).map { index in
    Float(sin(2 * Double.pi * Double(index) / Double(toneFrames)))
  }

  /// The tone's value, amplitude 1, at a frame.
  public static func tone(at index: Int64) -> Float {
    table[Int(index & 255)]
  }

  /// The largest difference of neighbouring frames in a continuous tone of an amplitude.
  public static func greatestStep(amplitude: Float) -> Float {
    amplitude * 2 * .pi / Float(toneFrames)
  }

  /// Code 0, mono, of the duration.
  public static func tableOfContents(frames: Int) -> UInt8 {
    switch frames {
    case 120: 28 << 3
    case 240: 29 << 3
    case 480: 30 << 3
    case 960: 31 << 3
    case 1920: 10 << 3
    default: 11 << 3
    }
  }

  /// Says whether a payload of so many frames tells of the one before.
  public static func flags(frames: Int, hasFEC: Bool) -> UInt8 {
    switch frames {
    case 1920 where hasFEC: 0x20
    case 2880 where hasFEC: 0x10
    default: 0
    }
  }

  /// The coding half.
  public final class Encoder: FrameEncoder {
    /// Place in the tone of the next frame to be encoded.
    public var nextIndex: Int64 = 0
    /// When the next frame's first sample was at the ports.
    public var captureNanoseconds: Int64 = 0
    /// Lets the next calls fail.
    public var isFailing = false
    /// Whether payloads say that they have two channels, of which the tone is the mean.
    public var isStereo = false
    /// Trails by nothing.
    public let lookaheadFrames = 0
    /// What was asked for last; payloads stay as they are.
    public private(set) var bitsPerSecond = 64_000
    /// Above 0, payloads of 40 and 60 ms tell of those before them.
    public private(set) var expectedLossPercent = 0

    /// Makes an encoder.
    public init() {}

    /// Takes a note.
    public func aim(bitsPerSecond: Int) { self.bitsPerSecond = bitsPerSecond }

    /// Takes a note.
    public func expect(lossPercent: Int) { expectedLossPercent = lossPercent }

    /// There is nothing to forget.
    public func reset() {}

    /// Measures the amplitude and writes it with place and time.
    public func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int {
      if isFailing { return -1 }
      // Two samples a quarter of a period apart give the amplitude of a tone.
      let amplitude = (pcm[0] * pcm[0] + pcm[64] * pcm[64]).squareRoot()
      let form = ToneCodec.tableOfContents(frames: pcm.count) | (isStereo ? 4 : 0)
      payload.storeBytes(of: form, toByteOffset: 0, as: UInt8.self)
      let flags = ToneCodec.flags(frames: pcm.count, hasFEC: expectedLossPercent > 0)
      payload.storeBytes(of: flags, toByteOffset: 1, as: UInt8.self)
      payload.storeBytes(of: nextIndex, toByteOffset: 2, as: Int64.self)
      payload.storeBytes(of: captureNanoseconds, toByteOffset: 10, as: Int64.self)
      payload.storeBytes(of: amplitude.bitPattern, toByteOffset: 18, as: UInt32.self)
      return ToneCodec.payloadBytes
    }
  }

  /// The decoding half; goes on with the tone when it conceals.
  public final class Decoder: FrameDecoder {
    /// Packets decoded.
    public private(set) var decodedCount = 0
    /// Packets decoded from what those after them tell.
    public private(set) var recoveredCount = 0
    /// Does as a codec that cannot.
    public var refusesToRecover = false
    /// Does as a codec that can go back to a state it kept.
    public var canGoBack = false
    /// Times it went back.
    public private(set) var goBackCount = 0
    /// Capture time of the first packet decoded since `mark`.
    public private(set) var captureNanoseconds: Int64?
    /// Times the decoder was reset.
    public private(set) var resetCount = 0
    /// The side is so much of the mean, of payloads with two channels.
    public static let sideShare: Float = 0.25
    /// Whether two channels are asked for.
    public private(set) var hasSide = false
    private var isStereo = false
    private var last: [Float] = []
    private var nextIndex: Int64 = 0
    private var amplitude: Float = 0
    private var kept: (nextIndex: Int64, amplitude: Float) = (0, 0)

    /// Makes a decoder.
    public init() {}

    /// Forgets `captureNanoseconds`.
    public func mark() { captureNanoseconds = nil }

    /// Writes the tone that the payload tells of; refuses what is no payload of this codec.
    public func decode(_ payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
      guard payload.byteCount == ToneCodec.payloadBytes else { return -1 }
      nextIndex = unsafe payload.unsafeLoadUnaligned(fromByteOffset: 2, as: Int64.self)
      let capture = unsafe payload.unsafeLoadUnaligned(fromByteOffset: 10, as: Int64.self)
      let bits = unsafe payload.unsafeLoadUnaligned(fromByteOffset: 18, as: UInt32.self)
      amplitude = Float(bitPattern: bits)
      isStereo = OpusTOC.isStereo(payload: payload)
      decodedCount += 1
      if captureNanoseconds == nil { captureNanoseconds = capture }
      return write(into: &pcm)
    }

    /// Writes the tone of the payload before one that tells of it.
    public func recover(from payload: RawSpan, into pcm: inout MutableSpan<Float>) -> Int {
      guard payload.byteCount == ToneCodec.payloadBytes, !refusesToRecover else { return 0 }
      let index = unsafe payload.unsafeLoadUnaligned(fromByteOffset: 2, as: Int64.self)
      let bits = unsafe payload.unsafeLoadUnaligned(fromByteOffset: 18, as: UInt32.self)
      (nextIndex, amplitude) = (index &- Int64(pcm.count), Float(bitPattern: bits))
      recoveredCount += 1
      return write(into: &pcm)
    }

    /// Goes on with the tone.
    public func conceal(into pcm: inout MutableSpan<Float>) -> Int { write(into: &pcm) }

    /// Remembers where in the tone it is, if it can.
    public func keep() -> Bool {
      kept = (nextIndex, amplitude)
      return canGoBack
    }

    /// Goes back there.
    public func goBack() {
      goBackCount += 1
      (nextIndex, amplitude) = kept
    }

    /// Forgets the tone.
    public func reset() {
      resetCount += 1
      amplitude = 0
    }

    /// Can.
    public func openSide() -> Bool {
      hasSide = true
      return true
    }

    /// Does.
    public func closeSide() { (hasSide, last) = (false, []) }

    /// Writes a share of the tone written last.
    public func takeSide(from first: Int, into pcm: inout MutableSpan<Float>) -> Int {
      let frames = max(0, min(last.count - first, pcm.count))
      let share = isStereo ? Self.sideShare : 0
      for index in 0..<frames { pcm[index] = share * last[first + index] }
      return frames
    }

    private func write(into pcm: inout MutableSpan<Float>) -> Int {
      var phase = Int(nextIndex & 255)
      for index in pcm.indices {
        pcm[index] = amplitude * ToneCodec.table[phase]
        phase = (phase + 1) & 255
      }
      nextIndex &+= Int64(pcm.count)
      if hasSide { last = pcm.indices.map { pcm[$0] } }
      return pcm.count
    }
  }
}
