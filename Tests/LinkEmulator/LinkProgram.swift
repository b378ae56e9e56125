import CLink
import Glibc

/// The program behind `./dev link`.
@main
enum LinkProgram {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard !arguments.contains(where: { $0 == "--help" || $0 == "-h" }) else {
      print(LinkOptions.help)
      return
    }
    do {
      exit(try run(try LinkOptions(arguments)))
    } catch {
      complain("\(error)")
      exit(error.exitCode)
    }
  }

  /// Runs until something ends it; gives the exit status.
  private static func run(_ options: LinkOptions) throws(LinkError) -> Int32 {
    guard geteuid() == 0 else {
      throw .notPermitted("network namespaces need root: start comlink-link as root or by sudo")
    }
    // Before anything is made: from here on no signal ends us unawares.
    let signals = try LinkError.check(link_signals_open(), "take signals")
    try Node.removeLeftovers()
    let orders = try options.ordersPath.map { path throws(LinkError) in
      try OrderPipe(path: path, nodes: options.nodes)
    }
    let droughtFile = try options.droughtsPath.map { path throws(LinkError) in
      try DroughtFile(path: path)
    }
    var nodes: [Node] = []
    for (index, name) in options.nodes.enumerated() {
      nodes.append(try Node(name, number: index + 1))
    }
    let emulator = Emulator(
      ports: try SwitchRoom.open(nodes), scenario: options.scenario, seed: options.seed,
      orders: orders)
    let report = Report(nodes: nodes)
    report.begin(options)
    let status = try forward(emulator, options, signals: signals)
    report.end(emulator)
    try droughtFile?.write(emulator.droughts, to: options.nodes)
    return status
  }

  private static func forward(
    _ emulator: Emulator, _ options: LinkOptions, signals: Int32
  ) throws(LinkError) -> Int32 {
    var child = options.command.isEmpty ? nil : try Child(options.command)
    // Without it frames wait for others' turns; the latency that is printed at the end tells.
    _ = link_thread_make_realtime(Emulator.priority)
    var status: Int32 = 0
    emulator.run(seconds: options.seconds, signals: signals) {
      let signal = link_signals_take(signals)
      guard signal == SIGCHLD else { return signal > 0 }
      guard let code = child?.endStatus() else { return false }
      status = code
      child = nil
      return true
    }
    child?.end()
    return status
  }

  /// Writes a line to standard error.
  static func complain(_ words: String) {
    var text = "comlink-link: \(words)\n"
    text.withUTF8 { unsafe _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
