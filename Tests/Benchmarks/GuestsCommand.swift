import ArgumentParser
import TestRig

/// Phones that are guests of one node.
struct GuestsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guests",
    abstract: "What it costs a node that phones are its guests: two talk, then all of them.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Guests, 16 at most; measured with a quarter, half and all of them.")
  var guests = 16

  @Option(help: "Seconds to measure each.")
  var seconds = 6.0

  @Option(help: "Instead: one guest over a network that loses so many percent, as root.")
  var loss: Double?

  func run() throws {
    if let loss {
      return try options.run("a guest over a network that loses \(loss) %") {
        try GuestLossMeasurement(bench: $0, lossPercent: loss, seconds: seconds).run()
      }
    }
    try options.run("\(guests) guests of a node at P = \(options.period)") {
      try GuestsMeasurement(bench: $0, guests: guests, seconds: seconds).run()
    }
  }
}

/// One phone that talks, in a process of its own: where the network that it is in is another.
struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "phone", shouldDisplay: false)

  @Argument var host: String
  @Argument var port: Int
  @Argument var token: String
  @Argument var seconds: Double

  func run() throws {
    let phone = try GuestPhone(
      at: host, port: port, token: token, number: 0, says: GuestsMeasurement.tone())
    pause(seconds: 1)
    phone.talk(true)
    pause(seconds: seconds)
    phone.close()
    let arrivals = phone.arrivals
    let shares = [arrivals.missing] + [20, 40, 80].map { arrivals.late(byMore: $0) }
    Console.line(shares.map { "\($0)" }.joined(separator: " "))
  }
}
