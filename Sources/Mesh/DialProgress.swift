/// How far the way to a peer is.
public enum DialProgress: Hashable, Sendable {
  /// Nothing is done: there is no address, it said goodbye, or it declined.
  case resting
  /// The next attempt begins then.
  case waiting(untilNanoseconds: Int64)
  /// Its addresses are looked up.
  case resolving
  /// Connections are under way, of so many addresses to this one and those before it.
  case connecting(address: Int, of: Int)
  /// One is there; both prove who they are.
  case securing
  /// The other's hello is awaited.
  case greeting
  /// Somebody has to say whether it is let in.
  case asking
  /// It is a member.
  case connected
}
