import ArgumentParser
import TestRig

/// What all measurements share.
struct BenchOptions: ParsableArguments {
  @Option(help: "Write all figures to this file as JSON.")
  var json: String?

  @Option(
    name: .customLong("period"),
    help: "Frames per JACK period (64; quality and battery: the profile's).")
  var givenPeriod: Int?

  /// Frames per JACK period.
  var period: Int { givenPeriod ?? 64 }

  func validate() throws {
    guard (16...4096).contains(period), period & (period - 1) == 0 else {
      throw ValidationError("--period is a power of two from 16 to 4096, not \(period)")
    }
  }

  /// Milliseconds of a period at 48 kHz.
  var periodMilliseconds: Double { Double(period) / 48 }

  /// The items of a list separated by commas.
  ///
  /// - Throws: `ValidationError`, which names them all.
  func named<Item>(
    _ list: String, of all: [Item], _ option: String, _ name: (Item) -> String
  ) throws -> [Item] {
    try list.split(separator: ",").map { word in
      guard let item = all.first(where: { name($0) == word }) else {
        throw ValidationError(
          "\(option) is among \(all.map(name).joined(separator: ", ")), not \(word)")
      }
      return item
    }
  }

  /// Runs a measurement with clean-up, a heading and the JSON file at its end.
  func run(_ title: String, _ measure: (Bench) throws -> Void) throws {
    Cleanup.shared.catchSignals()
    Console.line("\(title)\n\(Machine.summary)\n")
    defer { Cleanup.shared.run() }
    do {
      let bench = try Bench(options: self)
      let outcome = Result { try measure(bench) }
      // Those of a run that broke off, too.
      if let json {
        try bench.figures.write(to: json)
        Console.line("figures written to \(json)")
      }
      try outcome.get()
      try report(bench.doubts)
    } catch let error as RigError {
      Cleanup.shared.holdWhileEnding()
      Console.line("\nFAILED: \(error)")
      throw ExitCode.failure
    }
  }

  private func report(_ doubts: Doubts) throws {
    guard !doubts.all.isEmpty else { return }
    Console.line("\nFAILED:")
    for reason in doubts.all { Console.line("  \(reason)") }
    throw ExitCode.failure
  }
}
