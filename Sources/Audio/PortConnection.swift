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
