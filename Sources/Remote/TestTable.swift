public import StatusSchema

/// Results of tests, in lines for a person.
public enum TestTable {
  /// A loop test's, each line ended by a line end.
  public static func text(_ result: LoopTestStatus) -> String {
    guard let trip = result.roundTripMilliseconds, let least = result.leastMilliseconds,
      let most = result.mostMilliseconds
    else {
      return "none of \(result.sent) sweeps came back from \(Cell.clean(result.peer))\n"
    }
    var lines = [
      "round trip      \(number(trip)) ms  (\(number(least)) to \(number(most)) ms, "
        + "\(result.found) of \(result.sent) sweeps found)",
      "one way         \(number(trip / 2)) ms, half of that; sound cards not included",
    ]
    if let network = result.networkMilliseconds {
      lines.append("network alone   \(number(network)) ms round trip")
    }
    if let playout = result.playoutDelayMilliseconds {
      lines.append("playout delay   \(number(playout)) ms on this station")
    }
    if let level = result.levelDecibels {
      lines.append("level           \(level < 0 ? "" : "+")\(number(level)) dB")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// A speech test's, each line ended by a line end.
  public static func text(_ result: SpeechTestStatus) -> String {
    let way = result.peer.map { "to \(Cell.clean($0)) and back" } ?? "through the codec"
    var lines = [
      "intelligibility  \(Fixed.text(result.intelligibility, digits: 2)) of 1.00 (STOI), \(way)",
      "delay            \(number(result.delayMilliseconds)) ms",
      "coding           \(result.application) \(number(result.ptimeMilliseconds)) ms "
        + "\(Fixed.text(result.bitrateKilobits, digits: 0)) kbit/s",
    ]
    if let share = result.processorPercent {
      lines.append("processor        \(number(share)) % of a core, coding and decoding")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  static func number(_ value: Double) -> String { Fixed.text(value, digits: 1) }
}
