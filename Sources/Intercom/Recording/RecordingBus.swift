import Audio

/// The recording bus: what the audio thread mixes for recorders as it does for the ear, read once for all of them.
///
/// Loop thread only.
final class RecordingBus {
  /// Read at once, at most.
  private static let pieceFrames = 512

  private let engine: AudioEngine
  private var isOpen = false
  private var lostFrames: UInt64
  private var pcm = [Float](repeating: 0, count: 2 * RecordingBus.pieceFrames)
  private var left = [Float](repeating: 0, count: RecordingBus.pieceFrames)
  private var right = [Float](repeating: 0, count: RecordingBus.pieceFrames)

  init(_ engine: AudioEngine) {
    self.engine = engine
    lostFrames = engine.lostFrames(of: .recording)
  }

  /// Has the bus mix while somebody wants it; one that was closed just now fades out first.
  func follow(isWanted: Bool) {
    if isWanted && !isOpen {
      isOpen = engine.openStereo(.recording)
    } else if !isWanted && isOpen {
      engine.close(.recording)
      isOpen = false
    }
  }

  /// Hands all that the bus has to recorders, each frame at its place.
  func hand(to taps: [RecordingTap]) {
    for tap in taps { tap.prepareMix() }
    // The line is about to break: what the bus has then is told by the next wake-up.
    guard isOpen, taps.allSatisfy(\.isLineSteady) else { return }
    let lost = takeLost()
    let count = engine.availableFrames(of: .recording)
    for tap in taps { tap.placeMix(frames: count, lostFrames: lost) }
    var rest = count
    while rest > 0 {
      let frames = read(min(rest, Self.pieceFrames), into: &pcm)
      guard frames > 0 else { break }
      for index in 0..<frames { (left[index], right[index]) = (pcm[2 * index], pcm[2 * index + 1]) }
      let sides = (left, right)
      for tap in taps {
        tap.keepMix(sides.0.span.extracting(..<frames), sides.1.span.extracting(..<frames))
      }
      rest -= frames
    }
  }

  private func read(_ frames: Int, into pcm: inout [Float]) -> Int {
    var room = pcm.mutableSpan
    return engine.readStereo(.recording, into: &room, frames: frames)
  }

  /// Frames that its ring had no room for since the last call.
  private func takeLost() -> Int {
    let lost = engine.lostFrames(of: .recording)
    defer { lostFrames = lost }
    return Int(clamping: lost &- lostFrames)
  }
}
