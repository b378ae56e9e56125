/// Who carries out what comes in on the control socket.
public protocol ControlHandler: Sendable {
  /// Carries out a request.
  ///
  /// Called on Swift's ordinary pool, one request at a time per client, several clients at once. It
  /// may take its time: only the client that asked waits. Of a test its task is cancelled when that client goes.
  func handle(_ request: ControlRequest) async -> ControlResponse
}
