import Habits

/// One connection of the JACK graph, by full port names ("client:port").
struct PortConnection: Hashable, Sendable {
  /// The output port.
  var source: String
  /// The input port.
  var destination: String

  /// The same with the ports of one client as another's.
  func renamed(from client: String, to other: String) -> PortConnection {
    PortConnection(
      source: Self.renamed(source, from: client, to: other),
      destination: Self.renamed(destination, from: client, to: other))
  }

  /// A port's full name as another client's, if it is that client's.
  static func renamed(_ port: String, from client: String, to other: String) -> String {
    port.hasPrefix("\(client):") ? other + port.dropFirst(client.count) : port
  }
}

/// What outlives a run, and what a session goes by: full names, of the client as it is called now.
extension PortMemory {
  /// What is to be kept of a session.
  init(_ memory: ConnectionMemory, _ cards: CardPorts, client: String) {
    let entries = memory.ordered.map { connection in
      let kept = connection.renamed(from: client, to: "")
      return Entry(
        source: kept.source, destination: kept.destination,
        isAutomatic: cards.isAutomatic(connection))
    }
    self.init(
      entries: entries, isCaptureCut: cards.cutSides.contains(.capture),
      isPlaybackCut: cards.cutSides.contains(.playback))
  }

  /// The connections in their order.
  func connections(of client: String) -> [PortConnection] {
    entries.map { entry in
      PortConnection(source: entry.source, destination: entry.destination)
        .renamed(from: "", to: client)
    }
  }
}

extension CardPorts {
  /// As a session left them.
  init(_ kept: PortMemory, client: String) {
    let automatic = zip(kept.entries, kept.connections(of: client)).filter { $0.0.isAutomatic }
    let cutSides =
      (kept.isCaptureCut ? [Side.capture] : []) + (kept.isPlaybackCut ? [.playback] : [])
    self.init(client: client, automatic: Set(automatic.map(\.1)), cutSides: Set(cutSides))
  }
}
