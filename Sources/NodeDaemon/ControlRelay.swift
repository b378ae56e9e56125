internal import Remote
internal import StatusSchema
internal import Synchronization

/// Stands at the control socket from the first moment on and passes requests to the node once it runs.
///
/// The socket comes first at start, because it tells whether another daemon runs already, before that
/// one's JACK client or port is touched.
final class ControlRelay: ControlHandler {
  private let node = Mutex<(any ControlHandler)?>(nil)

  /// From now on the node gets the requests.
  ///
  /// Any thread.
  func attach(_ handler: any ControlHandler) { node.withLock { $0 = handler } }

  /// From now on requests are answered as before ``attach(_:)``.
  ///
  /// Any thread.
  func detach() { node.withLock { $0 = nil } }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    if request == .version { return .version(Version.current, schema: Status.currentSchema) }
    guard let handler = node.withLock({ $0 }) else {
      return .error(message: "the node is not running (it starts or ends); try again")
    }
    return await handler.handle(request)
  }
}
