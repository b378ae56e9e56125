/// Through whom a ``Discovery`` speaks to the network.
public enum DiscoveryBackend: String, Hashable, Sendable {
  /// Nobody (yet): nothing is published or found.
  case none
  /// The system's avahi-daemon.
  case daemon = "avahi-daemon"
  /// A responder in this process.
  case inProcess = "in-process"
}
