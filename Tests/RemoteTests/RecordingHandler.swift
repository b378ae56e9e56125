import Synchronization

import StatusSchema

@testable import ControlSocket
@testable import Remote

/// Writes down the requests and answers each with ok, the status with a fixed one.
final class RecordingHandler: ControlHandler {
  private let seen = Mutex<[ControlRequest]>([])

  var requests: [ControlRequest] { seen.withLock { $0 } }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    seen.withLock { $0.append(request) }
    switch request {
    case .status: return .status(GoldenStatus.value)
    case .version: return .version("1.2.3", schema: Status.currentSchema)
    case .gain(let peer, _) where peer != "B": return .error(message: "no peer \(peer)")
    default: return .ok
    }
  }
}
