internal import CRealtime

/// What went between the MIDI ports and the loop, since the engine was made.
public struct MIDICounters: Sendable, Hashable {
  /// Messages that came and fitted.
  public var received: UInt64
  /// Messages that came and did not fit.
  public var lost: UInt64
  /// Messages of more than three bytes, or of none.
  public var oversize: UInt64
  /// Messages given to JACK.
  public var sent: UInt64
  /// Messages that JACK had no room for.
  public var unsent: UInt64
  /// Times that a connection to `keys_in` was cut.
  public var unplugged: UInt64
}

/// Messages at the ports `keys_in` and `tally_out`.
extension AudioEngine {
  /// Whether messages wait to be read. [any]
  public var hasMIDI: Bool { unsafe rt_midi_waiting(handle) > 0 }

  /// The messages that wait, the oldest first, each of one to three octets. [any], one thread at a time
  public func readMIDI() -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var message = rt_midi_message()
    // A flood goes on while it is read.
    while messages.count < Int(RT_MIDI_RING_MESSAGES),
      unsafe rt_midi_read(handle, &message, 1) == 1
    {
      let octets = [message.bytes.0, message.bytes.1, message.bytes.2]
      messages.append(Array(octets.prefix(Int(message.count))))
    }
    return messages
  }

  /// Sends a message of one to three octets; false: there is no room, or it is none. [any], one thread at a time
  public func writeMIDI(_ octets: [UInt8]) -> Bool {
    guard (1...Int(RT_MIDI_MESSAGE_BYTES)).contains(octets.count) else { return false }
    func octet(_ place: Int) -> UInt8 { place < octets.count ? octets[place] : 0 }
    var message = rt_midi_message(
      bytes: (octet(0), octet(1), octet(2)), count: UInt8(octets.count))
    return unsafe rt_midi_write(handle, &message, 1) == 1
  }

  /// All counters, each read on its own. [any]
  public var midiCounters: MIDICounters {
    var counters = rt_midi_counters()
    unsafe rt_midi_count(handle, &counters)
    return MIDICounters(
      received: counters.received, lost: counters.lost, oversize: counters.oversize,
      sent: counters.sent, unsent: counters.unsent, unplugged: counters.unplugged)
  }
}
