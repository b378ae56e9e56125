internal import CRealtime

/// A bus beside the main one: a mix of the slots that is made in the audio thread while it is open.
public struct MixBus: Hashable, Sendable {
  /// What a recorder gets: the mix as it is heard, without what only this node's ear is to have.
  public static let recording = MixBus(number: Int32(RT_MAX_BUSES) - 1)
  /// Those that a user may have, each with a port of its own.
  public static let patched = (1..<firstOfGuests).map { MixBus(number: $0) }
  /// What guests get, one each: a mix without themselves.
  public static let guests = (firstOfGuests..<recording.number).map { MixBus(number: $0) }

  private static let firstOfGuests = recording.number - 16

  /// The number CRealtime takes.
  package let number: Int32
}

/// Buses, and the microphone in the own ear.
extension AudioEngine {
  /// Opens a stereo bus whose sound the loop reads; its gains are what was set before. [loop]
  ///
  /// - Returns: false while it is open, or still fades out from its last use.
  public func openStereo(_ bus: MixBus) -> Bool {
    unsafe rt_bus_open(handle, bus.number, 2, true) == 0
  }

  /// Opens a mono bus; its gains are what was set before. [loop]
  ///
  /// It plays at its port, if it has one.
  /// - Parameter isRead: another thread may read its sound, too (``readMono(_:into:)``).
  /// - Returns: false while it is open, or still fades out from its last use.
  public func openMono(_ bus: MixBus, isRead: Bool = false) -> Bool {
    unsafe rt_bus_open(handle, bus.number, 1, isRead) == 0
  }

  /// Takes the oldest frames of a mono bus, after its limiter; returns how many. [one thread while it is open]
  public func readMono(_ bus: MixBus, into pcm: inout MutableSpan<Float>) -> Int {
    unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_bus_read(handle, bus.number, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Names a bus' port, which is there whenever JACK runs. [any]
  ///
  /// - Throws: `AudioError.badPort`.
  public func setPort(of bus: MixBus, name: String) throws(AudioError) {
    guard unsafe rt_bus_set_port(handle, bus.number, name) == 0 else { throw .badPort(name) }
  }

  /// A bus' level after its limiter. [any]
  public func meter(of bus: MixBus) -> MeterReading {
    unsafe MeterReading(rt_bus_meter(handle, bus.number))
  }

  /// Fades a bus out and closes it. [loop]
  public func close(_ bus: MixBus) {
    unsafe rt_bus_close(handle, bus.number)
  }

  /// Sets the linear gain of a slot on a bus, 0 … `maximumGain`, ramped; its pan is the slot's. [any]
  public func setGain(_ gain: Float, for slot: PeerSlot, on bus: MixBus) {
    unsafe rt_bus_set_gain(handle, bus.number, slot.number, gain)
  }

  /// Frames that wait to be read from a bus. [its reader]
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
