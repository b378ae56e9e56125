/// Which connections a session makes again, as it outlives a run of the daemon.
public struct PortMemory: Hashable, Sendable {
  /// One connection; our own ports have no client before the colon (":mic"), whatever we are called next.
  public struct Entry: Hashable, Sendable {
    /// The output port.
    public var source: String
    /// The input port.
    public var destination: String
    /// Whether we chose it ourselves, as the card's first ports, and not the user.
    public var isAutomatic: Bool

    /// A connection.
    public init(source: String, destination: String, isAutomatic: Bool) {
      self.source = source
      self.destination = destination
      self.isAutomatic = isAutomatic
    }
  }

  /// Those that were made first come first, and go first where there are too many.
  public var entries: [Entry]
  /// The user took the mic from the card: no card is connected to it by itself.
  public var isCaptureCut: Bool
  /// The same of the mix.
  public var isPlaybackCut: Bool

  /// A memory; without arguments that of a node which never ran.
  public init(entries: [Entry] = [], isCaptureCut: Bool = false, isPlaybackCut: Bool = false) {
    self.entries = entries
    self.isCaptureCut = isCaptureCut
    self.isPlaybackCut = isPlaybackCut
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
