internal import CSoundTouch
internal import Glibc

/// SoundTouch, loaded where it is installed.
@safe public struct SoundTouchLibrary: @unchecked Sendable {
  // Never freed, and not changed once it is loaded.
  fileprivate let handle: OpaquePointer

  /// Where it is looked for; the first that is there wins.
  public static let names = ["libSoundTouchDll.so.1", "libSoundTouchDll.so"]

  /// A library, or why there is none.
  typealias Installed = Result<SoundTouchLibrary, MissingLibrary>

  /// The one that is installed, looked for once.
  static let installed: Installed = Result { () throws(MissingLibrary) in
    try SoundTouchLibrary()
  }

  /// Loads it for good; it may take a few milliseconds.
  public init(names: [String] = Self.names) throws(MissingLibrary) {
    unsafe handle = try unsafe MissingLibrary.first(of: names) { name, words, count in
      unsafe csoundtouch_open(name, words, count)
    } orThrow: { reason in
      "SoundTouch is not installed (\(reason)); install the package libsoundtouch1, or take effect "
        + "radio or reverb"
    }
  }
}

/// A voice higher or lower, as fast as before, by SoundTouch.
///
/// It gives frames in pieces of its own, so what is ready waits for as long as it is ever behind: so it is late by the
/// same time always.
@safe final class PitchEffect: VoiceStage {
  /// How often the longest wait is looked for, beginning with the first frame.
  private static let trialSeconds = 0.5
  /// How long the pieces of the trial are: the shorter, the longer the wait can get.
  private static let trialFrames = 16

  let delayFrames: Int
  private let handle: OpaquePointer
  /// What is ready: a ring.
  private var ready: [Float]
  private var (head, count) = (0, 0)
  private var taken: [Float]

  /// nil: out of memory.
  ///
  /// - Parameter semitones: −12…12.
  init?(_ library: SoundTouchLibrary, semitones: Double, blockFrames: Int, sampleRate: Int) {
    let factor = exp2(semitones / 12)
    guard
      let handle = unsafe csoundtouch_create(
        library.handle, Int32(clamping: sampleRate), Float(factor))
    else { return nil }
    unsafe self.handle = unsafe handle
    taken = [Float](repeating: 0, count: 4 * blockFrames)
    var silence = [Float](repeating: 0, count: blockFrames)
    /// Frames by which it is behind after a piece.
    func put(_ pieceFrames: Int) -> Int {
      var given = 0
      unsafe silence.withUnsafeMutableBufferPointer { piece in
        guard let base = piece.baseAddress else { return }
        unsafe csoundtouch_put(handle, base, Int32(pieceFrames))
        while case let got = unsafe csoundtouch_take(handle, base, Int32(piece.count)), got > 0 {
          given += Int(got)
        }
        unsafe base.update(repeating: 0, count: piece.count)
      }
      return pieceFrames - given
    }
    // Whole blocks first: so its memory is as long as it gets.
    var behind = 0
    for _ in 0..<10 { behind += put(blockFrames) }
    var most = behind
    for _ in 0..<Int(Self.trialSeconds * Double(sampleRate)) / Self.trialFrames {
      behind += put(Self.trialFrames)
      most = max(most, behind)
    }
    delayFrames = most
    ready = [Float](repeating: 0, count: most + 4 * blockFrames)
    count = most - behind
  }

  deinit { unsafe csoundtouch_destroy(handle) }

  func process(_ frames: inout MutableSpan<Float>, isSpeech: Bool) {
    unsafe frames.withUnsafeMutableBufferPointer { frames in
      guard let base = frames.baseAddress else { return }
      unsafe csoundtouch_put(handle, base, Int32(frames.count))
    }
    takeReady()
    for index in 0..<frames.count {
      // It was further behind than ever in the trial: a hole, once.
      guard count > 0 else {
        frames[index] = 0
        continue
      }
      frames[index] = ready[head]
      head = head + 1 == ready.count ? 0 : head + 1
      count -= 1
    }
  }

  /// Takes all that is ready into the ring.
  private func takeReady() {
    while true {
      let got = unsafe taken.withUnsafeMutableBufferPointer { taken in
        guard let base = taken.baseAddress else { return Int32(0) }
        return unsafe csoundtouch_take(handle, base, Int32(taken.count))
      }
      guard got > 0 else { return }
      for index in 0..<Int(got) where count < ready.count {
        let sample = taken[index]
        ready[(head + count) % ready.count] = sample.isFinite ? sample : 0
        count += 1
      }
    }
  }
}
