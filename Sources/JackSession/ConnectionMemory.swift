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
  ///
  /// Beyond it the absent one that was made first goes.
  static let capacity = 1024

  private enum Standing {
    case connected
    case lost(sinceNanoseconds: Int64)
    case absent
  }

  private var standings: [PortConnection: Standing] = [:]
  /// The order in which they were made.
  private var ordinals: [PortConnection: UInt64] = [:]
  private var nextOrdinal: UInt64 = 0

  /// What the user cut, as found at the last look.
  private(set) var cut: [PortConnection] = []

  /// Whether a connection is lost and a look is due though the graph may stay as it is.
  private(set) var needsAnotherLook = false

  /// A memory of what was remembered before, in the order in which it was made; all of it is to be made again.
  init(_ remembered: [PortConnection] = []) {
    for connection in remembered.suffix(Self.capacity) { remember(connection, as: .absent) }
  }

  /// What is remembered now.
  var connections: Set<PortConnection> { Set(standings.keys) }

  /// The same in the order in which it was made.
  var ordered: [PortConnection] {
    standings.keys.sorted { ordinals[$0] ?? 0 < ordinals[$1] ?? 0 }
  }

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
    let new = current.filter { standings[$0] == nil }
      .sorted { ($0.source, $0.destination) < ($1.source, $1.destination) }
    for connection in current where standings[connection] != nil {
      standings[connection] = .connected
    }
    for connection in new { remember(connection, as: .connected) }
    needsAnotherLook = false
    cut = []
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
        forget(connection)
        cut.append(connection)
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

  /// Takes in that the graph was there without us, so that what is missing in it was cut by the user.
  mutating func resume() {
    for connection in standings.keys { standings[connection] = .connected }
  }

  /// Does not make it again.
  mutating func forget(_ connection: PortConnection) {
    standings[connection] = nil
    ordinals[connection] = nil
  }

  private mutating func remember(_ connection: PortConnection, as standing: Standing) {
    if standings.count >= Self.capacity {
      guard let oldest = oldestAbsent else { return }
      forget(oldest)
    }
    standings[connection] = standing
    ordinals[connection] = nextOrdinal
    nextOrdinal += 1
  }

  private var oldestAbsent: PortConnection? {
    let absent = standings.keys.filter {
      if case .absent = standings[$0] { true } else { false }
    }
    return absent.min { ordinals[$0] ?? 0 < ordinals[$1] ?? 0 }
  }

  /// Takes in that the server is gone, and all ports with it.
  mutating func loseServer() {
    for connection in standings.keys {
      standings[connection] = .absent
    }
    needsAnotherLook = false
  }
}
