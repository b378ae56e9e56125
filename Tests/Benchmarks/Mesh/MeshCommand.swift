import ArgumentParser
import TestRig

/// How fast nodes find, lose and find each other again.
struct MeshCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mesh",
    abstract: "How fast nodes find each other: simulated, by address, by DNS-SD, over a bad link.",
    discussion: """
      The parts over the link need root. Eight nodes in eight namespaces are killed, restarted, cut off and split \
      into parts at random for --minutes; after each fault it is timed until all pairs are whole again. Fails, \
      with words, where a figure misses its limit or all pairs are not whole again within 40 s.
      """)

  @OptionGroup var options: BenchOptions

  @Option(help: "Starts and restarts to time, of each kind.")
  var rounds = 5

  @Option(help: "How long eight nodes are disturbed; 0: not at all.")
  var minutes = 10.0

  @Option(help: "Random partitions to simulate.")
  var seeds = 1000

  @Option(help: "Of the faults' choice.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (1...1000).contains(rounds) else { throw ValidationError("--rounds is 1 to 1000") }
    guard (0...1000).contains(minutes) else { throw ValidationError("--minutes is 0 to 1000") }
    guard (1...100_000).contains(seeds) else { throw ValidationError("--seeds is 1 to 100000") }
  }

  func run() throws {
    try options.run("Nodes that find each other") { bench in
      MeshSimulation(bench: bench, seedCount: seeds).run()
      try MeshCost(bench: bench, rounds: rounds).run()
      try MeshMeasurement(bench: bench, rounds: rounds).run()
      try MeshBlock(bench: bench, rounds: rounds).run()
      if minutes > 0 { try MeshChaos(bench: bench, minutes: minutes, seed: seed).run() }
    }
  }
}
