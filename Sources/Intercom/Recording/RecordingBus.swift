import Audio

/// A bus as recorders get it: what the audio thread mixes, read once for all of them.
///
/// The bus of the mix is there for recorders alone; one with a port of its own is there anyhow.
///
/// Loop thread only.
final class RecordingBus {
  /// Read at once, at most.
  private static let pieceFrames = 512

  /// Which.
  let bus: MixBus
  private let engine: AudioEngine
  private var isOpen = false
  private var lostFrames: UInt64 = 0
  private var pcm = [Float](repeating: 0, count: 2 * RecordingBus.pieceFrames)
  private var left = [Float](repeating: 0, count: RecordingBus.pieceFrames)
  private var right = [Float](repeating: 0, count: RecordingBus.pieceFrames)

  init(_ engine: AudioEngine, _ bus: MixBus) { (self.engine, self.bus) = (engine, bus) }

  /// The mix, and each bus that may have a port.
  static func all(_ engine: AudioEngine) -> [RecordingBus] {
    [RecordingBus(engine, .recording)] + MixBus.patched.map { RecordingBus(engine, $0) }
  }

  private var isStereo: Bool { bus == .recording }

  /// Has the bus read while somebody wants it; one that is opened for that and was closed just now fades out first.
  func follow(isWanted: Bool) {
    if isWanted && !isOpen {
      if isStereo {
        isOpen = engine.openStereo(bus)
      } else {
        // Of before, in a ring that nobody read.
        while read(Self.pieceFrames) > 0 {}
        isOpen = true
      }
      lostFrames = engine.lostFrames(of: bus)
    } else if !isWanted && isOpen {
      if isStereo { engine.close(bus) }
      isOpen = false
    }
  }

  /// Hands all that the bus has to recorders, each frame at its place.
  func hand(to taps: [RecordingTap]) {
    guard isOpen else { return }
    for tap in taps { tap.prepareMix() }
    // The line is about to break: what the bus has then is told by the next wake-up.
    guard taps.allSatisfy(\.isLineSteady) else { return }
    let lost = takeLost()
    let count = engine.availableFrames(of: bus)
    for tap in taps { tap.place(frames: count, lostFrames: lost, of: bus) }
    var rest = count
    while rest > 0 {
      let frames = read(min(rest, Self.pieceFrames))
      guard frames > 0 else { break }
      let sides = (left, right)
      for tap in taps {
        tap.keep(
          sides.0.span.extracting(..<frames), sides.1.span.extracting(..<frames), of: bus)
      }
      rest -= frames
    }
  }

  /// Reads at most so many frames to both sides; returns how many.
  private func read(_ frames: Int) -> Int {
    guard isStereo else {
      let count = Self.read(bus, frames, by: engine, into: &left)
      for index in 0..<count { right[index] = left[index] }
      return count
    }
    let count = Self.read(bus, frames, by: engine, into: &pcm)
    for index in 0..<count { (left[index], right[index]) = (pcm[2 * index], pcm[2 * index + 1]) }
    return count
  }

  private static func read(
    _ bus: MixBus, _ frames: Int, by engine: AudioEngine, into pcm: inout [Float]
  ) -> Int {
    var room = pcm.mutableSpan
    if bus == .recording { return engine.readStereo(bus, into: &room, frames: frames) }
    var part = room._mutatingExtracting(..<frames)
    return engine.readMono(bus, into: &part)
  }

  /// Frames that its ring had no room for since the last call.
  private func takeLost() -> Int {
    let lost = engine.lostFrames(of: bus)
    defer { lostFrames = lost }
    return Int(clamping: lost &- lostFrames)
  }
}
