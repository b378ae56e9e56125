import Audio

/// The mix of a recording, on its way from the recording bus to two tapes.
///
/// Loop thread only.
final class MixTrack {
  private let deck: TapeDeck
  private let tapes: (left: SoundTape, right: SoundTape)
  private var cursor = TapCursor()
  /// What comes next does not follow what came last.
  private var isAfterLoss = false
  /// Of the frames that come next.
  private var position: Int64 = 0

  /// A track onto the deck's tapes of the mix; nil: it has none.
  init?(deck: TapeDeck) {
    guard let tapes = deck.mix else { return nil }
    (self.deck, self.tapes) = (deck, tapes)
  }

  /// Where the frames after the last ones belong; nil: nothing came yet.
  var next: Int64? { cursor.next }

  /// Takes in how many frames the bus has.
  ///
  /// - Parameters:
  ///   - nextCallback: position of the next callback's first frame, found before.
  ///   - lostFrames: that its ring had no room for since the last call, after those that it has.
  ///   - periodFrames: what passed without a frame is longer than the callback that may run just now.
  func place(frames: Int, lostFrames: Int, nextCallback: Int64, periodFrames: Int) {
    deck.lose(frames: lostFrames)
    guard frames > 0 else { return }
    let estimate = nextCallback - Int64(frames)
    let isNear = cursor.next.map { estimate <= $0 + Int64(periodFrames) } ?? true
    let isContinuous = lostFrames > 0 || isNear && !isAfterLoss
    isAfterLoss = lostFrames > 0
    position = cursor.place(frames, estimate: estimate, isContinuous: isContinuous)
  }

  /// Takes some of these frames, in their order.
  func keep(_ left: Span<Float>, _ right: Span<Float>, floor: Int64) {
    tapes.left.write(left, at: position, floor: floor)
    tapes.right.write(right, at: position, floor: floor)
    position += Int64(left.count)
  }

  /// Marks a discontinuity.
  func interrupt() { cursor.interrupt() }
}
