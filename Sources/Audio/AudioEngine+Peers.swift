internal import CRealtime

/// The peers' rings and their places in the mix.
extension AudioEngine {
  /// Frames that a slot's ring holds.
  public static let peerCapacityFrames = Int(RT_PEER_RING_FRAMES)

  /// Empties the slot's ring and lets it sound, faded in. [loop]
  ///
  /// - Returns: false while it is attached, or still fading out from its last use.
  public func attach(_ slot: PeerSlot) -> Bool {
    unsafe rt_peer_attach(handle, slot.number) == 0
  }

  /// Fades the slot out; `isIdle(_:)` tells when it may be attached anew. [loop]
  public func detach(_ slot: PeerSlot) {
    unsafe rt_peer_detach(handle, slot.number)
  }

  /// Whether the slot has faded out and may be attached. [loop]
  public func isIdle(_ slot: PeerSlot) -> Bool {
    unsafe rt_peer_is_idle(handle, slot.number)
  }

  /// Adds decoded frames, at JACK's rate, to the slot's ring. [loop]
  ///
  /// - Returns: how many of them fitted.
  public func write(_ pcm: Span<Float>, to slot: PeerSlot) -> Int {
    unsafe pcm.withUnsafeBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_peer_write(handle, slot.number, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Frames waiting in the slot's ring. [loop]
  public func fillFrames(of slot: PeerSlot) -> Int {
    unsafe Int(rt_peer_fill(handle, slot.number))
  }

  /// Tells whether an empty ring is an underrun (true) or a pause (false). [loop]
  public func setPlaying(_ isPlaying: Bool, for slot: PeerSlot) {
    unsafe rt_peer_set_playing(handle, slot.number, isPlaying)
  }

  /// Sets the linear gain, 0 … 8, ramped. [any]
  public func setGain(_ gain: Float, for slot: PeerSlot) {
    unsafe rt_peer_set_gain(handle, slot.number, gain)
  }

  /// Sets the place between left (−1) and right (1), equal power, ramped. [any]
  public func setPan(_ pan: Float, for slot: PeerSlot) {
    unsafe rt_peer_set_pan(handle, slot.number, pan)
  }

  /// The peer's level before its gain; restarts the meter. [any]
  public func takePeerMeter(_ slot: PeerSlot) -> MeterReading {
    unsafe MeterReading(rt_take_peer_meter(handle, slot.number))
  }

  /// Frames of silence played because the slot's ring was empty while playing. [any]
  public func underrunFrames(of slot: PeerSlot) -> UInt64 {
    unsafe rt_peer_underrun_frames(handle, slot.number)
  }
}
