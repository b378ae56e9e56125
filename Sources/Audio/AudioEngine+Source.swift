internal import CRealtime

/// What is captured in the microphone's place, for tests of a station.
extension AudioEngine {
  /// Frames of the signal that the ring holds at most.
  public static let signalCapacityFrames = Int(RT_SIGNAL_RING_FRAMES)

  /// Captures the microphone, as at first; faded. [loop]
  public func captureMicrophone() {
    _ = unsafe rt_set_source(handle, RT_SOURCE_MICROPHONE, 0)
  }

  /// Captures what a slot's peer sent, as it is heard but for its gain, whatever the talk key; faded. [loop]
  public func captureSound(of slot: PeerSlot) {
    _ = unsafe rt_set_source(handle, RT_SOURCE_PEER, slot.number)
  }

  /// Captures a signal, whatever the talk key, and records what a slot's peer sends beside it; faded. [loop]
  ///
  /// Its beginning is to be written at once, and it is to be kept from running dry.
  /// - Returns: false while the last signal has not faded out yet.
  public func captureSignal(recording slot: PeerSlot) -> Bool {
    unsafe rt_set_source(handle, RT_SOURCE_SIGNAL, slot.number) == 0
  }

  /// Adds frames, at JACK's rate, to the signal; returns how many fitted. [loop]
  public func writeSignal(_ pcm: Span<Float>) -> Int {
    unsafe pcm.withUnsafeBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_signal_write(handle, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Takes frames of the record, of which there is one for each of the signal; returns how many. [loop]
  public func readRecord(into pcm: inout MutableSpan<Float>) -> Int {
    unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_record_read(handle, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Frames by which signal and record lost step since the signal began; 0 as a rule. [loop]
  public var lostSignalFrames: Int { unsafe Int(clamping: rt_signal_lost(handle)) }
}
