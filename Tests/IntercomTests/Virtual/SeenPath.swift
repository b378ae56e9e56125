import Audio
import EventLoop
import Habits
import Media

@testable import Intercom

/// A path of a station's member, and what of its session is so by that path.
struct SeenPath {
  enum State { case connecting, contacted, connected, spare }

  let session: Session
  let path: Path

  var address: SocketAddress { path.address }
  var name: String { session.name }
  var settings: PeerSettings { session.settings }
  var heardNanoseconds: Int64 { path.heardNanoseconds }
  var repair: RepairSession? { path.repair }
  var sentOctets: Int { session.sent(0).octets }
  private var heard: HeardStream? { session.active === path ? session.streams.first : nil }
  var slot: PeerSlot? { heard?.slot }
  var stream: PeerStream? { heard?.stream }
  var sink: PlayoutSink? { heard?.sink }

  var state: State {
    if session.active === path { return .connected }
    guard path.state == .heard else { return .connecting }
    return session.isConnected && path.reports.isConfirmed ? .spare : .contacted
  }
}

extension Station {
  /// All paths of all members.
  var seen: [SeenPath] {
    roster.sessions.all.flatMap { session in
      session.paths.map { SeenPath(session: session, path: $0) }
    }
  }
}
