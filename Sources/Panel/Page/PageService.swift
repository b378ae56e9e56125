internal import ControlSocket
internal import NIOCore
internal import NIOSSL
internal import ServiceLoop
internal import Synchronization

/// What the connections of a ``Page`` share; any thread.
final class PageService: Sendable {
  /// Who the page is at the moment.
  struct Shown: Sendable {
    /// With the names that its certificate has.
    let identity: PageIdentity
    let context: NIOSSLContext

    init(_ identity: PageIdentity) throws(PanelError) {
      let (context, names) = try identity.context()
      var identity = identity
      identity.names += names
      (self.identity, self.context) = (identity, context)
    }
  }

  let access: PageAccess
  let handler: any ControlHandler
  let limits: PageLimits
  let nodeName: String
  let gate: LoopGate
  /// Those of connections.
  let connections: AddressPlaces
  /// Those of open pages.
  let viewers: Places
  /// Those of guests' connections.
  let guestSockets: Places
  /// Answers REST; nil: there is none.
  let rest: RestDesk?
  /// Where guests get their places; nil: nowhere.
  let guests: (any GuestHost)?
  private let current: Mutex<Shown>

  init(
    _ access: PageAccess, _ handler: any ControlHandler, _ guests: (any GuestHost)?,
    _ rest: RestDesk?, _ limits: PageLimits, _ shown: Shown, nodeName: String, gate: LoopGate
  ) {
    self.rest = rest
    self.guests = guests
    guestSockets = Places(limits.guests.connections)
    self.access = access
    self.handler = handler
    self.limits = limits
    self.nodeName = nodeName
    self.gate = gate
    connections = AddressPlaces(limits.connections, ofAddress: limits.connectionsOfAddress)
    viewers = Places(limits.viewers)
    current = Mutex(shown)
  }

  var shown: Shown { current.withLock { $0 } }

  /// New connections are shown this.
  func show(_ shown: Shown) { current.withLock { $0 = shown } }

  var router: PageRouter { PageRouter(access: access, names: shown.identity.names) }
}
