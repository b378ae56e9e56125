import ArgumentParser
import Foundation
import TestRig

/// Three nodes talk: what a newcomer sees first.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Speech from A and C to B over three JACK servers; exits 1 if it was not understood.")

  @OptionGroup var options: BenchOptions

  private static let usualSeconds = 16.0

  @Option(help: "Seconds of speech.")
  var seconds = Self.usualSeconds

  @Option(help: "Audio per packet in milliseconds; the daemon's default when not given.")
  var ptime: String?

  @Option(help: "Where to write what B heard.")
  var wav = "comlink-demo.wav"

  @Flag(help: "Party lines, a private line, a call and a programme in place of a talk.")
  var lines = false

  func validate() throws {
    guard (5...60).contains(seconds) else {
      throw ValidationError("--seconds is 5 to 60, not \(seconds)")
    }
  }

  func run() throws {
    guard !lines else { return try runLines() }
    try checkFolder()
    var isIntelligible = false
    var xruns = 0
    try options.run("Comlink demo: A and C talk, B listens.") { bench in
      let demo = try Demo(bench, seconds: seconds, ptime: ptime)
      let before = try demo.xruns()
      try demo.play()
      try demo.writeHeard(to: wav)
      isIntelligible = try demo.report()
      xruns = try demo.xruns() - before
      demo.stop()
      let path = URL(fileURLWithPath: wav).path
      Console.line("\nWhat B heard, A on the left and C on the right: \(path)")
      let total = demo.elapsedSeconds
      bench.figures.add("demo.total", total, "s")
      bench.doubts.check(
        "the demo took \(Figures.fixed(total, 0)) s, more than \(Int(Demo.mostSeconds))",
        seconds <= Self.usualSeconds && total > Demo.mostSeconds)
    }
    guard isIntelligible else {
      Console.line("\nFAILED: the speech did not arrive intelligibly.")
      Console.line(
        "The servers had \(xruns) xruns in \(Int(seconds)) s at a load of \(Machine.load): with more than a few "
          + "a second this machine is too busy for \(options.period) frames; try again, or --period 256."
      )
      throw ExitCode.failure
    }
    Console.line(
      "The speech arrived intelligibly: at least \(Int(Hearing.neededShare * 100)) % of its voiced pieces of 50 ms match their source."
    )
  }

  private func runLines() throws {
    try options.run("Comlink demo: lines, a call and a programme; who hears whom.") { bench in
      let demo = try LinesDemo(bench)
      try demo.play()
      demo.stop()
    }
    Console.line("\nEverybody heard what was for them, and nothing else.")
  }

  /// Better before than after the talk.
  private func checkFolder() throws {
    let folder = URL(fileURLWithPath: wav).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw ValidationError("--wav: cannot write to the folder \(folder)")
    }
  }
}
