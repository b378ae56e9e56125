internal import ControlPlane
internal import Cryptography
internal import Intercom
internal import Remote

/// Why the daemon cannot start or go on.
enum DaemonError: Error, Sendable {
  /// A setting that will not do: where it comes from and what is wrong.
  case setting(Setting, origin: Origin, words: String)
  /// A configuration file that cannot be read or understood.
  case file(path: String, line: Int?, words: String)
  /// The control socket cannot be made.
  case control(RemoteError)
  /// There are no random numbers, or no memory, for an identity.
  case identity(CryptoError)
  /// Control connections cannot be taken.
  case connections(ControlPlaneError)
  /// The node cannot run.
  case node(IntercomError)
}
