public import StatusSchema

/// Inputs and buses, as tables for a terminal.
///
/// What comes from other nodes (names) cannot send commands to the terminal.
public enum PatchTable {
  /// A line each, ended by a line end, below a head: name, whether it is sent, to which lines, level, ports.
  public static func text(_ inputs: [InputStatus]) -> String {
    text(
      ["INPUT", "SENT", "LINES", "LEVEL", "PORTS"],
      inputs.map { input in
        [
          input.name, input.isOn ? (input.isTalking ? "talks" : "on") : "off",
          input.lines?.joined(separator: ", ") ?? "all", decibels(input.levelDBFS),
          input.ports.joined(separator: " "),
        ]
      })
  }

  /// A line each, ended by a line end, below a head: name, level, port, who is on it.
  public static func text(_ buses: [BusStatus]) -> String {
    text(
      ["BUS", "LEVEL", "PORT", "WHO"],
      buses.map { [$0.name, decibels($0.levelDBFS), $0.port, who($0)] })
  }

  private static func who(_ bus: BusStatus) -> String {
    let all = bus.allDecibels.map { "all \(decibels($0))" } ?? "all off"
    let set = bus.peersDecibels.sorted { $0.key < $1.key }
      .map { "\($0.key) \(decibels($0.value))" }
    return ([all] + set + bus.peersOff.map { "\($0) off" }).joined(separator: ", ")
  }

  private static func decibels(_ value: Double) -> String { "\(Fixed.text(value, digits: 1)) dB" }

  private static func text(_ head: [String], _ rows: [[String]]) -> String {
    let rows = ([head] + rows).map { $0.map(Cell.clean) }
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.dropLast().enumerated().map { column, cell in
        Cell.padded(cell, width: widths[column], isLeft: true)
      }
      return (cells + row.suffix(1)).joined(separator: "  ") + "\n"
    }.joined()
  }
}
