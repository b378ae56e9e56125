internal import ControlPlane
internal import EventLoop
internal import Intercom
internal import Logging
internal import Mesh
internal import ControlSocket
internal import Remote
internal import StatusSchema
internal import Synchronization

/// Brings what happens on the control connections to the membership, and their faults to the log.
final class ControlRouter: ControlPlaneHandler {
  private struct Ends {
    var membership: Membership?
    var pairing: Pairing?
  }

  /// Of one reason one line a minute: strangers cause as many as they like.
  private let told = Mutex(TellingInterval<ControlFault.Reason>(seconds: 60))
  private let ends = Mutex(Ends())
  private let log: Logger

  init(log: Logger) { self.log = log }

  /// From now on these get what comes.
  func attach(_ membership: Membership, _ pairing: Pairing) {
    ends.withLock {
      $0.membership = membership
      $0.pairing = pairing
    }
  }

  func handle(_ event: MeshEvent) async {
    await ends.withLock { $0.membership }?.handle(event)
  }

  func note(_ fault: ControlFault) async {
    let now = EventLoop.nowNanoseconds()
    let isNew = told.withLock { $0.tells(fault.reason, nowNanoseconds: now) }
    log.event(.controlFault, at: isNew && fault.isOfInterest ? .info : .debug, "\(fault)")
  }

  func pair(_ channel: PairingChannel) async {
    await ends.withLock { $0.pairing }?.answer(channel)
  }
}

extension ControlFault {
  /// Whether a person should read of it though nothing may be wrong: peers that are away are the mesh's business.
  fileprivate var isOfInterest: Bool { reason != .unreachable && reason != .gone }
}

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

  func pictures() -> AsyncStream<NodePicture>? { node.withLock { $0 }?.pictures() }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    if request == .version { return .version(Version.current, schema: Status.currentSchema) }
    guard let handler = node.withLock({ $0 }) else {
      return .error(message: "the node is starting or exiting; try again")
    }
    return await handler.handle(request)
  }
}
