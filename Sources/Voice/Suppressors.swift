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

  /// Where it is looked for; the first that is there wins.
  ///
  /// The last is the package comlink-rnnoise's.
  public static let names = [
    "librnnoise.so.0", "librnnoise.so", "/usr/lib/\(machine)/comlink/librnnoise.so.0",
  ]
  #if arch(arm64)
    private static let machine = "aarch64-linux-gnu"
  #else
    private static let machine = "x86_64-linux-gnu"
  #endif

  /// Why there is none, in words.
  public struct Missing: Error, Sendable {
    /// What was tried and what to do.
    public let words: String

    static let unwanted = Missing(words: "")
  }

  /// A library, or why there is none.
  typealias Installed = Result<RNNoiseLibrary, Missing>

  /// The one that is installed, looked for once.
  static let installed: Installed = Result { () throws(Missing) in
    try RNNoiseLibrary()
  }

  /// Loads it for good; it may take a few milliseconds.
  public init(names: [String] = Self.names) throws(Missing) {
    var reason = ""
    for name in names {
      var words = [CChar](repeating: 0, count: 200)
      let found = unsafe words.withUnsafeMutableBufferPointer { words in
        unsafe crnnoise_open(name, words.baseAddress, Int32(words.count))
      }
      if let found = unsafe found {
        unsafe handle = unsafe found
        return
      }
      if reason.isEmpty {
        let bytes = words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        reason = String(decoding: bytes, as: UTF8.self)
      }
    }
    throw Missing(
      words: "RNNoise is not installed (\(reason)); install the package comlink-rnnoise, or take "
        + "suppress light")
  }
}

/// RNNoise: blocks of 10 ms at 48 kHz; other rates are converted there and back.
@safe final class RNNoiseSuppressor: BlockEngine {
  private static let rate = 48_000

  let delayFrames: Int
  private let handle: OpaquePointer
  private let blockFrames: Int
  private let (there, back): (StreamResampler?, StreamResampler?)
  private var block = [Float](repeating: 0, count: Int(CRNNOISE_BLOCK_FRAMES))

  /// nil: out of memory.
  init?(_ library: RNNoiseLibrary, blockFrames: Int, sampleRate: Int) {
    guard let handle = unsafe crnnoise_create(library.handle) else { return nil }
    unsafe self.handle = unsafe handle
    self.blockFrames = blockFrames
    let ownDelay = unsafe Int(crnnoise_delay_frames(library.handle))
    guard sampleRate != Self.rate else {
      (there, back, delayFrames) = (nil, nil, ownDelay)
      return
    }
    let most = max(blockFrames, Int(CRNNOISE_BLOCK_FRAMES))
    let there = StreamResampler(from: sampleRate, to: Self.rate, mostFrames: most)
    let back = StreamResampler(from: Self.rate, to: sampleRate, mostFrames: most)
    (self.there, self.back) = (there, back)
    let back48 = ownDelay + (back?.delayFrames ?? 0)
    delayFrames = back48 * sampleRate / Self.rate + (there?.delayFrames ?? 0)
    if there == nil || back == nil { return nil }
  }

  deinit { unsafe crnnoise_destroy(handle) }

  func process(_ frames: inout MutableSpan<Float>) {
    guard let there, let back else { return run(&frames) }
    there.convert(frames.span)
    let ready = min(block.count, there.count)
    for index in 0..<block.count - ready { block[index] = 0 }
    there.take(ready, into: &block)
    do {
      var own = block.mutableSpan
      run(&own)
    }
    back.convert(block, into: &frames)
  }

  private func run(_ block: inout MutableSpan<Float>) {
    unsafe block.withUnsafeMutableBufferPointer { block in
      guard let base = block.baseAddress, block.count == Int(CRNNOISE_BLOCK_FRAMES) else { return }
      unsafe crnnoise_run(handle, base)
    }
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
