/// What a remote can ask of a node: one JSON object on a line of the control socket.
///
/// Its JSON is described in `STATUS.md` of StatusSchema.
public enum ControlRequest: Sendable, Hashable {
  /// Asks for the ``Status``.
  case status
  /// Asks for the daemon's version and schema.
  case version
  /// Turns the talk key on or off.
  case talk(isOn: Bool)
  /// Sets a peer's gain in the mix, within ``gainRangeDecibels``.
  case gain(peer: String, decibels: Double)
  /// Mutes or unmutes a peer in the mix.
  case mute(peer: String, isOn: Bool)
  /// Places a peer in the mix, -1 (left) … 1 (right).
  case pan(peer: String, position: Double)

  /// The gains that can be asked for, dB: down to inaudible, up by what a limiter still takes.
  public static let gainRangeDecibels = -60.0...18.0
  /// The places that can be asked for.
  public static let panRange = -1.0...1.0

  /// The words of the `request` field.
  enum Kind: String, CaseIterable {
    case status, version, talk, gain, mute, pan
  }
}
