internal import Cryptography

/// Our publication and its progress: republished when the name or the port changes, updated when the rest does.
struct Publication {
  static let retryNanoseconds: Int64 = 5_000_000_000

  var service: ServiceDescription
  let salt: GroupHint.Salt
  /// The instance's name, another one than we would like after a collision.
  private(set) var name: String
  /// How often names collided since the backend was chosen; a hostile network makes them all collide.
  private var collisions: Int64 = 0
  /// Whether it is published as it is, or being so.
  private var isCurrent = false
  private var port: UInt16?
  private var hostName: String?
  /// When to try again.
  private(set) var dueNanoseconds: Int64?

  init(_ service: ServiceDescription) {
    self.service = service
    salt = GroupHint.Salt()
    name = InstanceName.make(name: service.name, node: service.node)
  }

  private var text: [UInt8] { ServiceText(service, salt: salt).octets }

  /// Begins on a backend that has nothing of us yet.
  mutating func begin(
    _ avahi: borrowing Avahi, _ backend: DiscoveryBackend, nowNanoseconds now: Int64
  ) throws(AvahiError) {
    collisions = 0
    name = InstanceName.make(name: service.name, node: service.node)
    try publish(avahi, backend, nowNanoseconds: now)
  }

  /// The description is another.
  mutating func change(
    to service: ServiceDescription, _ avahi: borrowing Avahi, _ backend: DiscoveryBackend,
    nowNanoseconds now: Int64
  ) throws(AvahiError) {
    let wanted = InstanceName.make(name: service.name, node: service.node)
    let isRenamed =
      wanted != InstanceName.make(name: self.service.name, node: self.service.node)
    self.service = service
    if isRenamed { name = wanted }
    guard backend != .none else { return }
    guard isCurrent, service.port == port, !isRenamed else {
      // One name at two ports would collide with itself.
      if service.port != port { avahi.withdraw(backend) }
      return try publish(avahi, backend, nowNanoseconds: now)
    }
    try avahi.update(backend, name: name, text: text)
  }

  /// The host's records stand: what is published must lead to them.
  mutating func hostIsRunning(
    _ avahi: borrowing Avahi, _ backend: DiscoveryBackend, nowNanoseconds now: Int64
  ) throws(AvahiError) {
    guard !isCurrent || avahi.hostName(backend) != hostName else { return }
    avahi.withdraw(backend)
    try publish(avahi, backend, nowNanoseconds: now)
  }

  /// The host's records are taken from us, and ours with them.
  mutating func hostCollided() { isCurrent = false }

  /// The backend reports the outcome.
  mutating func heard(
    _ state: AvahiEvent.State, _ avahi: borrowing Avahi, _ backend: DiscoveryBackend,
    nowNanoseconds now: Int64
  ) throws(AvahiError) {
    switch state {
    case .running:
      avahi.retire(backend)
    case .collision:
      collisions += 1
      name = Avahi.nextName(after: name)
      isCurrent = false
      guard collisions <= 10 else {
        dueNanoseconds = now + Self.retryNanoseconds
        return
      }
      try publish(avahi, backend, nowNanoseconds: now)
    case .failed(let words):
      isCurrent = false
      dueNanoseconds = now + Self.retryNanoseconds
      throw AvahiError(words: words)
    case .registering, .absent: break
    }
  }

  /// Publishes, now or, if that does not work, later.
  mutating func publish(
    _ avahi: borrowing Avahi, _ backend: DiscoveryBackend, nowNanoseconds now: Int64
  ) throws(AvahiError) {
    dueNanoseconds = now + Self.retryNanoseconds
    isCurrent = false
    try avahi.publish(
      backend, name: name, port: service.port, text: text,
      satellitePort: service.satellitePort)
    hostName = avahi.hostName(backend)
    port = service.port
    isCurrent = true
    dueNanoseconds = nil
  }
}
