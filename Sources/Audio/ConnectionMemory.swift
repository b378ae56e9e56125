/// Remembers which connections our ports had, so that they come back after a port or the server was away.
///
/// JACK forgets a connection with the port. Each remembered one stands as:
///
/// - *connected*: seen in the graph at the last look;
/// - *lost*: gone, though both its ports are there. Either the user cut it, or a program is closing, which cuts first
///   and takes its ports away a moment later. After `settleNanoseconds` with both ports there it was the user:
///   forgotten;
/// - *absent*: a port of it is away (a program ended, a peer left, the server died). Made again once both are back.
///
/// A pure value: connections, port names and times in, connections to make out.
struct ConnectionMemory {
  /// Longer than any program takes from cutting its connections to unregistering its ports.
  static let settleNanoseconds: Int64 = 500_000_000
  /// More than a graph of ours has; bounds what ever-changing port names may pile up.
  static let capacity = 1024

  private enum Standing {
    case connected
    case lost(sinceNanoseconds: Int64)
    case absent
  }

  private var standings: [PortConnection: Standing] = [:]

  /// Whether a connection is lost and a look is due though the graph may stay as it is.
  private(set) var needsAnotherLook = false

  /// What is remembered now.
  var connections: Set<PortConnection> { Set(standings.keys) }

  /// Takes in the graph as it is.
  ///
  /// - Parameters:
  ///   - current: every connection of our ports.
  ///   - nowNanoseconds: monotonic.
  ///   - hasPort: whether a port of that full name exists; asked only about ports of missing connections.
  /// - Returns: the connections to make again, in a stable order.
  mutating func observe(
    _ current: Set<PortConnection>, nowNanoseconds: Int64, hasPort: (String) -> Bool
  ) -> [PortConnection] {
    for connection in current where standings[connection] != nil || standings.count < Self.capacity
    {
      standings[connection] = .connected
    }
    needsAnotherLook = false
    var missing: [PortConnection] = []
    for (connection, standing) in standings where !current.contains(connection) {
      let arePortsThere = hasPort(connection.source) && hasPort(connection.destination)
      switch standing {
      case _ where !arePortsThere:
        standings[connection] = .absent
      case .absent:
        missing.append(connection)
      case .connected:
        standings[connection] = .lost(sinceNanoseconds: nowNanoseconds)
        needsAnotherLook = true
      case .lost(let since) where nowNanoseconds - since < Self.settleNanoseconds:
        needsAnotherLook = true
      case .lost:
        standings[connection] = nil
      }
    }
    return missing.sorted { ($0.source, $0.destination) < ($1.source, $1.destination) }
  }

  /// Takes in that a port is being taken away, by us: no cut of the user's, though it may be back before the next look.
  mutating func losePort(_ name: String) {
    for connection in standings.keys
    where connection.source == name || connection.destination == name {
      standings[connection] = .absent
    }
  }

  /// Takes in that the server is gone, and all ports with it.
  mutating func loseServer() {
    for connection in standings.keys {
      standings[connection] = .absent
    }
    needsAnotherLook = false
  }
}
