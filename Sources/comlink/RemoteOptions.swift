internal import ArgumentParser
internal import FoundationEssentials
internal import Remote

/// What every subcommand takes, and how it talks to the daemon.
struct RemoteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "comlinkd's socket, if it was started with --control.", valueName: "PATH"))
  var control: String?
  @Option(
    help: ArgumentHelp(
      "Does it at another node that lets this one: comlink operator.", valueName: "MEMBER"))
  var at: String?

  /// Connects to the daemon; `timeout` bounds this and each request.
  ///
  /// - Parameter isForAny: whether what is asked goes to the node of `--at`.
  func connect(
    timeout: Duration = .seconds(5), isForAny: Bool = false
  ) throws(RemoteFailure) -> ControlClient {
    guard at == nil || isForAny else { throw .notFromAfar }
    let environment = ProcessInfo.processInfo.environment
    let path = control ?? ControlPath.forRemote(environment: environment)
    do throws(RemoteError) {
      return try ControlClient(path: path, timeout: timeout)
    } catch {
      let own = ControlPath.forDaemon(environment: environment)
      if control == nil, path != own, case .noPermission = error {
        throw .systemOnly(own: own, error)
      }
      throw .remote(error)
    }
  }

  /// Asks for something whose only answer is "done".
  func ask(_ request: ControlRequest) throws(RemoteFailure) {
    var client = try connect(isForAny: true)
    let answer = try answer(of: &client, to: request)
    if case .done(let note) = answer { PlainText.note(PlainText.cleaned(note)) }
  }

  /// The answer of this node to a request, or of the one that is meant; a refusal is an error.
  func answer(
    of client: inout ControlClient, to request: ControlRequest
  ) throws(RemoteFailure) -> ControlResponse {
    try Self.answer(of: &client, to: at.map { .operators(.at(peer: $0, request)) } ?? request)
  }

  /// The answer to a request; a refusal is an error.
  static func answer(
    of client: inout ControlClient, to request: ControlRequest
  ) throws(RemoteFailure) -> ControlResponse {
    let response: ControlResponse
    do throws(RemoteError) {
      response = try client.request(request)
    } catch {
      throw .remote(error)
    }
    if case .error(let message) = response { throw .refused(message) }
    return response
  }
}
