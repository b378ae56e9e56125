/// One connection of the JACK graph, by full port names ("client:port").
struct PortConnection: Hashable, Sendable {
  /// The output port.
  var source: String
  /// The input port.
  var destination: String
}
