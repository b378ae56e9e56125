internal import CRealtime

/// Where the JACK client behind an engine stands.
enum EngineState: Sendable {
  case closed, running, serverGone

  init(_ state: rt_state) {
    switch state {
    case RT_RUNNING: self = .running
    case RT_SERVER_GONE: self = .serverGone
    default: self = .closed
    }
  }
}
