internal import CRNNoise
internal import CSpeexDSP

/// libspeexdsp's noise suppressor: any rate, 16 bits, one block late.
@safe final class SpeexSuppressor: BlockEngine {
  /// By how much it lowers noise at most, dB.
  enum Depth { static let (light, strong) = (-15, -25) }

  let delayFrames: Int
  private let handle: OpaquePointer

  /// nil: out of memory, or a block that is too long for it.
  init?(depthDecibels: Int, blockFrames: Int, sampleRate: Int) {
    guard
      let handle = unsafe cspeexdsp_suppressor_create(
        Int32(clamping: blockFrames), Int32(clamping: sampleRate))
    else { return nil }
    unsafe cspeexdsp_suppressor_set_depth(handle, Int32(clamping: depthDecibels))
    unsafe self.handle = unsafe handle
    delayFrames = blockFrames
  }

  deinit { unsafe cspeexdsp_suppressor_destroy(handle) }

  func process(_ block: inout MutableSpan<Float>) {
    unsafe block.withUnsafeMutableBufferPointer { block in
      guard let base = block.baseAddress else { return }
      unsafe cspeexdsp_suppressor_run(handle, base)
    }
  }
}

/// RNNoise, loaded where it is installed.
@safe public struct RNNoiseLibrary: @unchecked Sendable {
  // Never freed, and not changed once it is loaded.
  fileprivate let handle: OpaquePointer
  /// Whether our network joins it, which was taught with this one.
  fileprivate let isMasked: Bool

  /// Where it is looked for; the first that is there wins.
  ///
  /// The last is the package comlink-rnnoise's.
  public static let names = [
    "librnnoise.so.0", "librnnoise.so", "\(LibraryFolders.packaged)/librnnoise.so.0",
  ]

  /// A library, or why there is none.
  typealias Installed = Result<RNNoiseLibrary, MissingLibrary>

  /// The one that is installed, looked for once.
  static let installed: Installed = Result { () throws(MissingLibrary) in
    try RNNoiseLibrary()
  }

  /// Loads it for good; it may take a few milliseconds.
  ///
  /// - Parameter isMasked: false: what it makes is left as it is.
  public init(
    names: [String] = Self.names, isMasked: Bool = true
  ) throws(MissingLibrary) {
    self.isMasked = isMasked
    unsafe handle = try unsafe MissingLibrary.first(of: names) { name, words, count in
      unsafe crnnoise_open(name, words, count)
    } orThrow: { reason in
      "RNNoise is not installed (\(reason)); install the package comlink-rnnoise, or take suppress "
        + "light"
    }
  }
}

/// RNNoise: blocks of 10 ms at 48 kHz.
///
/// A network of our own joins it (``BandMask``).
@safe final class RNNoiseSuppressor: BlockEngine {
  let delayFrames: Int
  private let handle: OpaquePointer
  /// nil: not for this version of it.
  private var mask: BandMask?

  /// nil: out of memory.
  init?(_ library: RNNoiseLibrary) {
    guard let handle = unsafe crnnoise_create(library.handle) else { return nil }
    unsafe self.handle = unsafe handle
    delayFrames = unsafe Int(crnnoise_delay_frames(library.handle))
    if library.isMasked, delayFrames == BandMask.blockFrames { mask = BandMask() }
  }

  deinit { unsafe crnnoise_destroy(handle) }

  func process(_ block: inout MutableSpan<Float>) {
    guard block.count == Int(CRNNOISE_BLOCK_FRAMES) else { return }
    mask?.hear(block.span)
    let voice = unsafe block.withUnsafeMutableBufferPointer { block in
      guard let base = block.baseAddress else { return Float(0) }
      return unsafe crnnoise_run(handle, base)
    }
    mask?.make(&block, voice: voice)
  }
}

/// An engine of blocks of 10 ms at 48 kHz for sound of another rate, which is converted there and back.
final class ConvertedEngine: BlockEngine {
  private static let (rate, blockFrames) = (48_000, 480)

  let delayFrames: Int
  private let engine: any BlockEngine
  private let (there, back): (StreamResampler, StreamResampler)
  private var block = [Float](repeating: 0, count: ConvertedEngine.blockFrames)

  private init?(_ engine: any BlockEngine, blockFrames: Int, sampleRate: Int) {
    let most = max(blockFrames, Self.blockFrames)
    guard let there = StreamResampler(from: sampleRate, to: Self.rate, mostFrames: most),
      let back = StreamResampler(from: Self.rate, to: sampleRate, mostFrames: most)
    else { return nil }
    (self.engine, self.there, self.back) = (engine, there, back)
    delayFrames =
      (engine.delayFrames + back.delayFrames) * sampleRate / Self.rate + there.delayFrames
  }

  /// The engine, converted where the rate is another one; nil: out of memory.
  static func at(
    _ sampleRate: Int, blockFrames: Int, _ engine: (any BlockEngine)?
  ) -> (any BlockEngine)? {
    guard sampleRate != rate else { return engine }
    return engine.flatMap {
      ConvertedEngine($0, blockFrames: blockFrames, sampleRate: sampleRate)
    }
  }

  func process(_ frames: inout MutableSpan<Float>) {
    there.convert(frames.span)
    let ready = min(block.count, there.count)
    for index in 0..<block.count - ready { block[index] = 0 }
    there.take(ready, into: &block)
    do {
      var own = block.mutableSpan
      engine.process(&own)
    }
    back.convert(block, into: &frames)
  }
}

/// libspeexdsp's sample-rate converter, a block of 10 ms at a time.
@safe final class StreamResampler {
  private let handle: OpaquePointer
  /// What was converted and not taken; blocks of a rational ratio come out a frame longer or shorter.
  private var spare: [Float]
  private var spareCount = 0

  /// nil: out of memory, or a rate that it does not take.
  init?(from inputRate: Int, to outputRate: Int, mostFrames: Int) {
    guard
      let handle = unsafe cspeexdsp_resampler_create(
        Int32(clamping: inputRate), Int32(clamping: outputRate))
    else { return nil }
    unsafe self.handle = unsafe handle
    spare = [Float](repeating: 0, count: 4 * mostFrames)
  }

  deinit { unsafe cspeexdsp_resampler_destroy(handle) }

  /// How late the sound comes out, frames of the input.
  var delayFrames: Int { unsafe Int(cspeexdsp_resampler_delay(handle)) }

  /// Converts a block into one of so many frames; what lacks at the start is silence.
  func convert(_ input: [Float], into output: inout MutableSpan<Float>) {
    convert(input.span)
    let lacking = max(0, output.count - spareCount)
    for index in 0..<lacking { output[index] = 0 }
    let ready = output.count - lacking
    for index in 0..<ready { output[lacking + index] = spare[index] }
    drop(ready)
  }

  /// Converts what there is, and keeps it until it is taken.
  func convert(_ input: Span<Float>) {
    let taken = spareCount
    let written = unsafe input.withUnsafeBufferPointer { input in
      unsafe spare.withUnsafeMutableBufferPointer { spare in
        guard let from = input.baseAddress, let to = spare.baseAddress else { return Int32(0) }
        return unsafe cspeexdsp_resampler_run(
          handle, from, Int32(input.count), to + taken, Int32(spare.count - taken))
      }
    }
    spareCount += Int(written)
  }

  /// Frames that wait.
  var count: Int { spareCount }

  /// Takes so many of them, which there must be, to the end of an array.
  func take(_ count: Int, into output: inout [Float]) {
    let first = output.count - count
    for index in 0..<count { output[first + index] = spare[index] }
    drop(count)
  }

  private func drop(_ count: Int) {
    for index in count..<spareCount { spare[index - count] = spare[index] }
    spareCount -= count
  }
}
