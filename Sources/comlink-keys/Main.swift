internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import KeyDevices
internal import Keys
internal import Remote
internal import System

/// `comlink-keys`: buttons, lamps and relays for a running `comlinkd`.
@main
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "comlink-keys",
    abstract: "Buttons, lamps and relays for a comlinkd.",
    discussion: """
      Exit codes: 0 after a signal, or with nothing to do; 1 --check found something missing; 64 wrong command line; 78 \
      wrong configuration.
      """,
    version: Version.current)

  @Option(help: ArgumentHelp("File with buttons, lamps and relays.", valueName: "FILE"))
  var config = "/etc/comlink/keys.toml"
  @Option(
    help: ArgumentHelp(
      "comlinkd's socket, if it was started with --control.", valueName: "PATH"))
  var control: String?
  @Flag(help: "Reads the file, tells which devices are there, and exits.") var check = false
  @Option(help: .private) var devices = ""

  func run() throws {
    let environment = ProcessInfo.processInfo.environment
    let log = KeysLog(environment: environment)
    let settings: PanelSettings
    do throws(KeysFileError) {
      settings = try Self.settings(path: config)
    } catch {
      log.note(.failed, "\(error)")
      throw ExitCode(EX_CONFIG)
    }
    if check { return try Self.check(settings, places) }
    guard !settings.isEmpty else {
      return log.note(.nothingToDo, "\(config) has neither buttons nor lamps nor relays")
    }
    let bell = try Self.bellOfSignals()
    let control = control
    var program = KeysProgram(
      settings, control: { control ?? ControlPath.forRemote(environment: environment) },
      places: places, log: log)
    program.run(until: bell.bell.descriptor)
  }

  private var places: DevicePlaces {
    devices.isEmpty ? DevicePlaces() : DevicePlaces(root: devices)
  }

  private static func settings(path: String) throws(KeysFileError) -> PanelSettings {
    guard let data = FileManager.default.contents(atPath: path) else {
      let words = "cannot be read; --config names another file"
      throw KeysFileError(path: path, line: nil, words: words)
    }
    return try KeysFile(text: String(decoding: data, as: UTF8.self), path: path).settings
  }

  private static func check(_ settings: PanelSettings, _ places: DevicePlaces) throws {
    var devices = PanelDevices(settings, places: places)
    for event in devices.scan() {
      switch event {
      case .found(let words): print("ok       \(words)")
      case .refused(let words): print("problem  \(words)")
      default: break
      }
    }
    let missing = devices.missingInputs
    for device in missing { print("advice   \(device): not plugged in; used once it is") }
    devices.close()
    if devices.isIncomplete { throw ExitCode.failure }
  }

  /// Rings at SIGTERM, SIGINT and SIGHUP, which end nothing by themselves from now on.
  private static func bellOfSignals() throws(SystemError) -> SignalBell {
    signal(SIGPIPE, SIG_IGN)
    let bell = SignalBell(try Bell())
    bell.hold()
    let thread = try BlockingThread(name: "signals") { _ in bell.wait() }
    try thread.start()
    return bell
  }
}

/// A bell that signals ring.
private final class SignalBell: Sendable {
  let bell: Bell

  init(_ bell: consuming Bell) { self.bell = bell }

  private var signals: sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }

  /// From now on they wait for ``wait()``, in this thread and all that it starts.
  func hold() {
    var set = signals
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for one, and rings.
  func wait() {
    var set = signals
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    bell.ring()
  }
}
