import Audio

/// A bus of a recording on its way to its tapes: the mix to two, a mono bus to one.
///
/// Loop thread only.
final class MixTrack {
  /// Which.
  let bus: MixBus
  private let deck: TapeDeck
  private let tapes: [SoundTape]
  private var cursor = TapCursor()
  /// What comes next does not follow what came last.
  private var isAfterLoss = false
  /// Of the frames that come next.
  private var position: Int64 = 0

  private init(_ bus: MixBus, onto tapes: [SoundTape], of deck: TapeDeck) {
    (self.bus, self.tapes, self.deck) = (bus, tapes, deck)
  }

  /// A track for each bus that a deck has tapes for.
  static func all(of deck: TapeDeck) -> [MixTrack] {
    let mix = deck.mix.map { MixTrack(.recording, onto: [$0.left, $0.right], of: deck) }
    return [mix].compactMap { $0 } + deck.buses.map { MixTrack($0.bus, onto: [$0.tape], of: deck) }
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

  /// Takes some of these frames, in their order; of a mono bus both sides are the same.
  func keep(_ left: Span<Float>, _ right: Span<Float>, floor: Int64) {
    tapes[0].write(left, at: position, floor: floor)
    if tapes.count > 1 { tapes[1].write(right, at: position, floor: floor) }
    position += Int64(left.count)
  }

  /// Marks a discontinuity.
  func interrupt() { cursor.interrupt() }
}
