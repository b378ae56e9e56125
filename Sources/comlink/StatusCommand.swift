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
      view with meters (q or Ctrl-C ends it); elsewhere it prints the status once a second. It follows what the \
      daemon tells of its changes and asks for nothing.
      """)

  @Flag(help: "Prints JSON, keys sorted.") var json = false
  @Flag(help: "Keeps the display up to date.") var watch = false
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    if watch, !json, let terminal = TerminalTraits.ofThisProcess {
      var live = LiveStatus(
        source: try StatusSource(remote: remote, levels: true), traits: terminal)
      return live.run()
    }
    guard watch else { return try show(once: remote) }
    var source = try StatusSource(remote: remote, levels: false)
    while StandardOutput.write(try text(of: source.next().get()) + "\n") { sleep(1) }
  }

  private func show(once remote: RemoteOptions) throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer else { throw RemoteFailure.unexpectedAnswer }
    _ = StandardOutput.write(try text(of: status) + "\n")
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

/// The daemon's status as it changes; looks for the daemon again when it is gone.
struct StatusSource: ~Copyable {
  private static let timeout = Duration.seconds(2)

  private let remote: RemoteOptions
  private let hasLevels: Bool
  private var subscription: StatusSubscription?

  /// Subscribes; a daemon that is not there now is no reason to wait for one.
  ///
  /// - Parameter levels: whether levels are to come as they change.
  init(remote: RemoteOptions, levels: Bool) throws(RemoteFailure) {
    self.remote = remote
    hasLevels = levels
    subscription = try Self.subscribe(remote, levels: levels)
  }

  /// The status with all that came so far, or why there is none, in words.
  mutating func next() -> Result<Status, RemoteFailure> {
    do throws(RemoteFailure) {
      return .success(try newest())
    } catch {
      return .failure(error)
    }
  }

  private mutating func newest() throws(RemoteFailure) -> Status {
    var open: StatusSubscription
    if let former = subscription.take() {
      open = former
    } else {
      open = try Self.subscribe(remote, levels: hasLevels)
    }
    do throws(RemoteError) {
      let status = try open.status(after: .zero)
      subscription = consume open
      return status
    } catch {
      throw .remote(error)
    }
  }

  private static func subscribe(
    _ remote: RemoteOptions, levels: Bool
  ) throws(RemoteFailure) -> StatusSubscription {
    let client = try remote.connect(timeout: timeout)
    do throws(RemoteError) {
      return try StatusSubscription(client, levels: levels)
    } catch {
      throw .remote(error)
    }
  }
}
