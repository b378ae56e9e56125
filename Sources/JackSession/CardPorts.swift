/// Connects our ports with a sound card's, when one comes that we have nothing to do with yet.
///
/// There are two sides, the mic and the mix. A side without any connection is connected with the first physical ports
/// that are new: all of a server that was just opened, later those of a card that is plugged in, under whatever name.
/// Ports that were there when the side lost its last connection are not taken: the built-in microphone is no stand-in
/// for a headset that was unplugged. What the user cut stays cut, until a card is connected by hand.
///
/// A pure value: ports and connections in, connections to make out.
struct CardPorts {
  enum Side: CaseIterable { case capture, playback }

  let client: String
  /// Sides that the user took from their card.
  private(set) var cutSides: Set<Side>
  /// Whether ports are coming and a look is due though the graph may stay as it is.
  private(set) var needsAnotherLook = false

  /// What we made by ourselves, and is remembered.
  private var automatic: Set<PortConnection>
  private var known: [Side: Set<String>] = [:]
  /// Seen once and not taken yet: a card's ports come one by one.
  private var coming: [Side: [String]] = [:]

  init(client: String, automatic: Set<PortConnection> = [], cutSides: Set<Side> = []) {
    self.client = client
    self.automatic = automatic
    self.cutSides = cutSides
  }

  /// Takes in that a server was opened: all its ports are new.
  mutating func open() {
    known = [:]
    coming = [:]
  }

  /// Takes in that the graph is from before our time: a side without connections is as the user wants it.
  mutating func keepUnconnected(_ connections: Set<PortConnection>) {
    for side in Side.allCases where !connections.contains(where: { isOf(side, $0) }) {
      cutSides.insert(side)
    }
  }

  /// Whether a connection was made by ourselves.
  func isAutomatic(_ connection: PortConnection) -> Bool { automatic.contains(connection) }

  /// Takes in that the user cut a connection.
  mutating func cut(_ connection: PortConnection, ports: (Side) -> [String]) {
    automatic.remove(connection)
    for side in Side.allCases where isOf(side, connection) {
      if ports(side).contains(other(side, connection)) { cutSides.insert(side) }
    }
  }

  /// Takes in the graph as it is, once the memory is settled.
  ///
  /// - Returns: what to connect, and what to forget for it: what stood in that place before, and is away.
  mutating func look(
    _ connections: Set<PortConnection>, remembered: Set<PortConnection>, ports: (Side) -> [String]
  ) -> (connect: [PortConnection], forget: [PortConnection]) {
    needsAnotherLook = false
    automatic.formIntersection(remembered.union(connections))
    var connect: [PortConnection] = []
    var forget: [PortConnection] = []
    for side in Side.allCases {
      let made = look(side, connections.filter { isOf(side, $0) }, ports: ports(side))
      guard !made.isEmpty else { continue }
      forget += automatic.filter { isOf(side, $0) }
      automatic.subtract(forget)
      automatic.formUnion(made)
      connect += made
    }
    return (connect, forget.filter { !connect.contains($0) })
  }

  private mutating func look(
    _ side: Side, _ connections: Set<PortConnection>, ports: [String]
  ) -> [PortConnection] {
    if connections.contains(where: { ports.contains(other(side, $0)) }) { cutSides.remove(side) }
    let new = ports.filter { known[side]?.contains($0) != true }
    guard connections.isEmpty, !cutSides.contains(side), !new.isEmpty else {
      known[side] = Set(ports)
      coming[side] = nil
      return []
    }
    guard coming[side] == ports else {
      coming[side] = ports
      needsAnotherLook = true
      return []
    }
    known[side] = Set(ports)
    coming[side] = nil
    return Self.connections(side, client: client, ports: new)
  }

  /// The mic from the first capture port; the mix to the first two playback ports, or both sides to the only one.
  static func connections(_ side: Side, client: String, ports: [String]) -> [PortConnection] {
    guard let first = ports.first else { return [] }
    let second = ports.count > 1 ? ports[1] : first
    switch side {
    case .capture: return [PortConnection(source: first, destination: "\(client):mic")]
    case .playback:
      return [
        PortConnection(source: "\(client):mix_left", destination: first),
        PortConnection(source: "\(client):mix_right", destination: second),
      ]
    }
  }

  private func isOf(_ side: Side, _ connection: PortConnection) -> Bool {
    switch side {
    case .capture: connection.destination == "\(client):mic"
    case .playback: ["\(client):mix_left", "\(client):mix_right"].contains(connection.source)
    }
  }

  private func other(_ side: Side, _ connection: PortConnection) -> String {
    side == .capture ? connection.source : connection.destination
  }
}
