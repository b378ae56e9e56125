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
  /// Makes a group with a new secret; the answer is ``ControlResponse/invitation(_:)``.
  case groupNew(name: String)
  /// Takes a group from its invitation; the answer is ``ControlResponse/groups(_:)`` with that one.
  case groupJoin(invitation: SecretText)
  /// Asks for the groups that the node is in.
  case groupList
  /// Forgets a group and its secret.
  case groupLeave(name: String)

  /// The gains that can be asked for, dB: down to inaudible, up by what a limiter still takes.
  public static let gainRangeDecibels = -60.0...18.0
  /// The places that can be asked for.
  public static let panRange = -1.0...1.0

  /// The words of the `request` field.
  enum Kind: String, CaseIterable {
    case status, version, talk, gain, mute, pan
    case groupNew = "group-new"
    case groupJoin = "group-join"
    case groupList = "group-list"
    case groupLeave = "group-leave"
  }
}
