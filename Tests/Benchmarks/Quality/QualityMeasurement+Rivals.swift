import TestRig

extension QualityMeasurement {
  private static var rivals: [any Contestant.Type] {
    [JackTripContestant.self, JamulusContestant.self, ZitaContestant.self]
  }

  /// The other programs, with their defaults, over the same networks: a table with a row for each.
  func runRivals(over links: [QualityLink], periodFrames: Int?) throws(RigError) {
    var rows = [["program"] + links.flatMap { ["\($0.name) PESQ", "ms", "kbit/s"] }]
    for rival in Self.rivals {
      if let hint = rival.absence {
        Console.line("\(rival.name) is not installed: \(hint)")
        continue
      }
      let call = RivalCall(
        contestant: rival, speech: speech,
        periodFrames: bench.options.givenPeriod ?? periodFrames ?? bench.options.period,
        seed: seeds[0])
      var row = [rival.name]
      for link in links { row += try cells(call, rival.name, link) }
      rows.append(row)
    }
    Console.line("\nThe others (PESQ-WB, port to port, IP packets):")
    Console.table(rows)
  }

  private func cells(
    _ call: RivalCall, _ name: String, _ link: QualityLink
  ) throws(RigError) -> [String] {
    Console.line("\(name) over \(link.name):")
    let result: RivalCall.Result
    do throws(RigError) {
      result = try call.result(over: link.options)
    } catch {
      // Whoever cannot even begin on such a network has lost there, and the others go on.
      Console.line("\(name) over \(link.name): \(error)")
      return ["-", "-", "-"]
    }
    try keep(result.recorded, as: "\(name)-\(link.name)")
    let verdict = try verdict(result.recorded, expected: result.expected)
    let figures: [(String, Double, String, Int)] = [
      ("pesq", verdict.pesq.median, "MOS", 2), ("portToPort", verdict.lag.median, "ms", 1),
      ("wire", result.wireKilobits, "kbit/s", 0),
    ]
    for (figure, value, unit, _) in figures {
      bench.figures.add("quality.\(name).\(link.name).\(figure)", value, unit)
    }
    bench.figures.add("quality.\(name).\(link.name).stoi", verdict.stoi.median, "ratio")
    bench.figures.add("quality.\(name).\(link.name).xruns", Double(result.xruns), "count")
    return figures.map { Figures.fixed($0.1, $0.3) }
  }
}
