/// Lines with JACK outputs of their own.
extension LineDesk {
  /// What the outputs of lines are called, by line: of more than there may be the first by name.
  ///
  /// `line_` and the line's name, colons (they part client and port) and control characters as underscores. A line
  /// whose name needs no change has it for sure; others of the same get a number.
  public var ports: [LineName: String] {
    let lines = wishedPorts.prefix(portLimit).map { (line: $0, port: Self.port($0)) }
    var ports: [LineName: String] = [:]
    for (line, port) in lines where port == Self.prefix + line.text { ports[line] = port }
    for (line, port) in lines where ports[line] == nil {
      let isTaken = { (name: String) in ports.values.contains(name) }
      let numbered = (2...).lazy.map { "\(port) \($0)" }
      ports[line] = isTaken(port) ? numbered.first { !isTaken($0) } : port
    }
    return ports
  }

  /// The same by the place of the line (``places``).
  var portsByPlace: [Int: String] {
    var places: [Int: String] = [:]
    for (line, port) in ports {
      if let place = own.place(of: line) { places[place] = port }
    }
    return places
  }

  /// The lines that are to have one, by name.
  var wishedPorts: [LineName] { own.names.filter(ear.hasPort).sorted() }

  private static let prefix = "line_"

  private static func port(_ line: LineName) -> String {
    var port = prefix
    for scalar in line.text.unicodeScalars {
      let isUsable = scalar != ":" && scalar.properties.generalCategory != .control
      port.unicodeScalars.append(isUsable ? scalar : "_")
    }
    return port
  }
}
