/// What happens to a JACK session, each reported once when it happens.
public enum JackSessionEvent: Hashable, Sendable {
  /// No server of that name runs; the session looks for one each half second.
  case waiting(server: String)
  /// No plugin listens at that socket; the session looks for one each half second.
  case waitingForPlugin(server: String, path: String)
  /// The server runs and does not take us; tried again each half second. Told again only when the reason changes.
  case refused(server: String, reason: String)
  /// The plugin in jackd is of another version: a client of our own, under another name, plays until jackd has one that suits.
  case besidePlugin(server: String, client: String, path: String)
  /// The first period ran on a newly opened connection.
  case running(JackConnection)
  /// The server changed its period or rate while running.
  case periodChanged(JackConnection)
  /// That many connections our ports had before were made again.
  case connectionsRestored(count: Int)
  /// A peer's port could not be had; the peer is still in the mix.
  case peerPortRefused(slot: PeerSlot, portName: String, reason: String)
  /// The server died or threw us out; `waiting` follows unless another one is there at once.
  case serverGone(server: String)
  /// The server is there and runs no period, so many seconds already; sound goes on by itself with the next.
  case standsStill(server: String, seconds: Int)
  /// A call into JACK does not return, so many seconds already.
  case hangs(server: String, seconds: Int)
  /// After either of the two: all is as before; so many seconds it lasted.
  case answers(server: String, seconds: Int)
  /// The session ended by `JackSession.stop()`.
  case stopped
}
