/// The JACK MIDI ports `keys_in` and `tally_out` in a ``Status``.
///
/// Counted since the daemon started.
public struct MIDIStatus: Sendable, Hashable, Codable {
  /// The ports that `keys_in` hears, by name.
  public var sources: [String] = []
  /// The ports that hear `tally_out`, by name.
  public var destinations: [String] = []
  /// Messages that came.
  public var received = 0
  /// Those among them of notes and controllers that no key has, or of no notes and controllers.
  public var ignored = 0
  /// Those that were no MIDI messages, or longer than three bytes, as system exclusive ones are.
  public var refused = 0
  /// Presses that were too many, or that could not be for another reason.
  public var refusedPresses = 0
  /// Messages that did not fit; what was held is let go of.
  public var lost = 0
  /// Messages that went out.
  public var sent = 0
  /// Messages that JACK had no room for.
  public var unsent = 0
  /// Why there are no ports, in words; absent: there are.
  public var problem: String?

  /// Ports that nothing happened at.
  public init() {}
}
