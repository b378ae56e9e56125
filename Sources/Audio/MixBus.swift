internal import CRealtime

/// A bus beside the main one: a mix of the slots that is made in the audio thread while it is open.
public struct MixBus: Hashable, Sendable {
  /// What a recorder gets: the mix as it is heard, without what only this node's ear is to have.
  public static let recording = MixBus(number: Int32(RT_MAX_BUSES) - 1)

  /// The number CRealtime takes.
  let number: Int32
}

/// Buses, and the microphone in the own ear.
extension AudioEngine {
  /// Opens a stereo bus whose sound the loop reads; its gains are what was set before. [loop]
  ///
  /// - Returns: false while it is open, or still fades out from its last use.
  public func openStereo(_ bus: MixBus) -> Bool {
    unsafe rt_bus_open(handle, bus.number, 2, true) == 0
  }

  /// Fades a bus out and closes it. [loop]
  public func close(_ bus: MixBus) {
    unsafe rt_bus_close(handle, bus.number)
  }

  /// Sets the linear gain of a slot on a bus, 0 … `maximumGain`, ramped; its pan is the slot's. [any]
  public func setGain(_ gain: Float, for slot: PeerSlot, on bus: MixBus) {
    unsafe rt_bus_set_gain(handle, bus.number, slot.number, gain)
  }

  /// Frames that wait to be read from a bus. [loop]
  public func availableFrames(of bus: MixBus) -> Int {
    unsafe Int(rt_bus_available(handle, bus.number))
  }

  /// Takes the oldest frames of a stereo bus, after its limiter, left and right by turns. [loop]
  ///
  /// There is one for each frame of JACK since the bus was opened, but for holes (``takeCaptureHole()``).
  /// - Parameters:
  ///   - pcm: filled from its start on, as far as frames are there and have room.
  ///   - frames: the most that are wanted.
  /// - Returns: the frames taken.
  public func readStereo(
    _ bus: MixBus, into pcm: inout MutableSpan<Float>, frames: Int = .max
  ) -> Int {
    let frames = min(frames, pcm.count / 2)
    return unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_bus_read(handle, bus.number, base, UInt32(clamping: frames)))
    }
  }

  /// Frames that found no place on their way to the loop, since the engine was made. [any]
  public func lostFrames(of bus: MixBus) -> UInt64 {
    unsafe rt_bus_lost_frames(handle, bus.number)
  }

  /// Lets the microphone be heard in the mix, whatever the talk key; at 1 as loud as a peer in the middle. [any]
  ///
  /// It is heard in the period in which it is captured.
  /// - Parameter gain: linear, 0 (as at first) … 1, ramped.
  public func setSidetone(_ gain: Float) {
    unsafe rt_set_sidetone(handle, gain)
  }
}
