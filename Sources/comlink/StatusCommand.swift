internal import ArgumentParser
internal import Glibc
internal import Remote
internal import StatusSchema

/// `comlink status`: the node and its peers, once or each second.
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Shows the state of the node and its peers.",
    discussion: """
      STATUS.md in the sources describes the JSON; with --watch it is one object a line. In a terminal --watch is a live \
      view with meters (q or Ctrl-C ends it); elsewhere it prints the status once a second.
      """)

  @Flag(help: "Prints JSON, keys sorted.") var json = false
  @Flag(help: "Keeps the display up to date.") var watch = false
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    if watch, !json, let terminal = TerminalTraits.ofThisProcess {
      var live = LiveStatus(source: try StatusSource(remote: remote), traits: terminal)
      return live.run()
    }
    var client = try remote.connect()
    repeat {
      let answer = try RemoteOptions.answer(of: &client, to: .status)
      guard case .status(let status) = answer else { throw RemoteFailure.unexpectedAnswer }
      let text = try text(of: status)
      guard StandardOutput.write(text + "\n") else { return }
      if watch { sleep(1) }
    } while watch
  }

  private func text(of status: Status) throws(RemoteFailure) -> String {
    guard json else { return StatusTable.text(status) }
    do throws(RemoteError) {
      if watch { return String(decoding: try JSONLine.encode(status), as: UTF8.self) }
      return try JSONLine.pretty(status)
    } catch {
      throw .remote(error)
    }
  }
}

/// Asks the daemon for its status, and looks for it again when it is gone.
struct StatusSource: ~Copyable {
  private static let timeout = Duration.seconds(2)

  private let remote: RemoteOptions
  private var client: ControlClient?

  /// Connects; a daemon that is not there now is no reason to wait for one.
  init(remote: RemoteOptions) throws(RemoteFailure) {
    self.remote = remote
    client = try remote.connect(timeout: Self.timeout)
  }

  /// The status, or why there is none, in words.
  mutating func next() -> Result<Status, RemoteFailure> {
    do throws(RemoteFailure) {
      return .success(try ask())
    } catch {
      return .failure(error)
    }
  }

  private mutating func ask() throws(RemoteFailure) -> Status {
    var connection: ControlClient
    if let open = client.take() {
      connection = open
    } else {
      connection = try remote.connect(timeout: Self.timeout)
    }
    let answer = try RemoteOptions.answer(of: &connection, to: .status)
    guard case .status(let status) = answer else { throw .unexpectedAnswer }
    client = consume connection
    return status
  }
}
