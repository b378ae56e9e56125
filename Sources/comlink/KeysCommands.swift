internal import ArgumentParser
internal import Glibc
internal import KeyDevices

/// `comlink keys`: buttons, lamps and relays of this machine.
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Buttons of this machine, for comlink-keys.",
    subcommands: [LearnCommand.self])
}

/// `comlink keys learn`: what a pressed button is called.
struct LearnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "learn", abstract: "Tells what a pressed button is called, for keys.toml.",
    discussion: """
      Press a foot switch, a pad's key or a headset's button: it prints the lines for keys.toml, each button once, until \
      Ctrl-C. It needs root or the group input. --gpio also hears every GPIO line that has a name and that nobody uses, \
      with its pull-up on, which needs root or the group gpio; leave it where other hardware is on those lines.
      """)

  @Flag(help: "Hears unused GPIO lines, too.") var gpio = false
  @Option(help: ArgumentHelp("Ends after so many seconds.", valueName: "N")) var seconds: Int?
  @Option(help: .private) var devices = ""

  func validate() throws {
    guard seconds.map({ (1...86_400).contains($0) }) ?? true else {
      throw ValidationError("the seconds must be from 1 to 86400")
    }
  }

  func run() throws {
    EndingSignals.restore()
    var learner = KeyLearner(
      places: devices.isEmpty ? DevicePlaces() : DevicePlaces(root: devices))
    var problems = learner.scan()
    if gpio { problems += learner.scanLines() }
    for problem in problems { PlainText.note(PlainText.cleaned(problem)) }
    let names = learner.names.map(PlainText.cleaned).joined(separator: ", ")
    PlainText.note(
      names.isEmpty
        ? "no device with keys can be heard; plug one in" : "press a button of: \(names)")
    let end = seconds.map { now() + .seconds($0) }
    while end.map({ now() < $0 }) ?? true {
      for descriptor in Self.ready(learner.descriptors, until: end) {
        let (learned, problems) = learner.read(descriptor)
        for problem in problems { PlainText.note(PlainText.cleaned(problem)) }
        for button in learned {
          let lines = ["[[button]]", "key = \"talk\""] + button.lines
          guard StandardOutput.write(lines.map { $0 + "\n" }.joined() + "\n") else { return }
        }
      }
    }
  }

  private static func ready(_ descriptors: [Int32], until end: Duration?) -> [Int32] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let left = end.map { (($0 - now()) / .milliseconds(1)).rounded(.up) } ?? -1
    guard unsafe poll(&polled, nfds_t(polled.count), Int32(max(-1, left))) > 0 else { return [] }
    return polled.filter { $0.revents != 0 }.map(\.fd)
  }
}
