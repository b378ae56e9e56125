import Audio

/// Something that the station does for a while so that its user learns whether it works; one at a time.
///
/// Loop thread only. Steps allocate nothing, and each trial ends by itself.
protocol Trial: AnyObject {
  /// The place in the mix that it uses: its own, or a peer's.
  var slot: PeerSlot? { get }

  /// Begins; false: not now, as the last one of its kind still fades out.
  func begin(_ engine: AudioEngine) -> Bool
  /// One wake-up; false: it is over.
  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool
  /// Puts everything back, whether it is over or broken off.
  func end(_ engine: AudioEngine)
}
