internal import Remote
internal import StatusSchema

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
