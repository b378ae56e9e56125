internal import CAvahi
internal import Mesh

/// Avahi's events as values.
enum AvahiEvent {
  enum State {
    case registering
    case running
    case collision
    case failed(String)
    case absent
  }

  case state(DiscoveryBackend, State)
  case published(DiscoveryBackend, State)
  case appeared(ServiceInstance, isOwn: Bool, isLocal: Bool)
  case disappeared(ServiceInstance)
  case resolved(UInt32, ServiceResolution)
  case unresolved(UInt32)
  case browsingFailed(String)
}

/// An error of Avahi.
struct AvahiError: Error {
  /// In its words.
  let words: String

  /// Throws unless `code` is 0.
  static func check(_ code: Int32) throws(AvahiError) {
    guard code != 0 else { return }
    throw AvahiError(words: words(code))
  }

  static func words(_ code: Int32) -> String {
    unsafe cavahi_error_words(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

/// Wakes the thread that polls; from any thread, as long as the ``Avahi`` lives.
@safe struct AvahiWaker: @unchecked Sendable {
  fileprivate let handle: OpaquePointer

  func wake() { unsafe cavahi_wake(handle) }
}

/// CAvahi, wrapped: used by one thread at a time, which its single owner sees to.
///
/// Events that come while it is called are kept until ``takeEvents()``.
@safe struct Avahi: ~Copyable, @unchecked Sendable {
  /// Where events wait: the library holds a pointer to it.
  private final class Inbox {
    /// More than one call can bring: the cache of a responder is smaller.
    static let capacity = 8192
    var events: [AvahiEvent] = []
  }

  private let inbox: Inbox
  private let handle: OpaquePointer

  /// - Throws: `DiscoveryError.system`.
  init() throws(DiscoveryError) {
    let inbox = Inbox()
    var code: Int32 = 0
    let context = unsafe Unmanaged.passUnretained(inbox).toOpaque()
    let created = unsafe cavahi_create(Self.sink, context, &code)
    guard let handle = unsafe created else {
      throw .system(operation: "set up Avahi", code: -code)
    }
    self.inbox = inbox
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe cavahi_destroy(handle)
    // The library calls into it while it is destroyed.
    withExtendedLifetime(inbox) {}
  }

  var waker: AvahiWaker { unsafe AvahiWaker(handle: handle) }

  /// The events since the last call.
  func takeEvents() -> [AvahiEvent] {
    defer { inbox.events.removeAll(keepingCapacity: inbox.events.count < 256) }
    return inbox.events
  }

  /// Waits for something to happen.
  func poll(milliseconds: Int32) throws(DiscoveryError) {
    let code = unsafe cavahi_poll(handle, milliseconds)
    guard code == 0 else { throw .system(operation: "wait for the network", code: -code) }
  }

  func startClient() throws(AvahiError) { try AvahiError.check(unsafe cavahi_daemon_start(handle)) }

  func startOwn(host: String) throws(AvahiError) {
    try AvahiError.check(unsafe cavahi_own_start(handle, host))
  }

  func stop(_ backend: DiscoveryBackend) { unsafe cavahi_stop(handle, Self.number(backend)) }

  func renameOwn() throws(AvahiError) { try AvahiError.check(unsafe cavahi_own_rename(handle)) }

  func hostName(_ backend: DiscoveryBackend) -> String? {
    unsafe cavahi_host_name(handle, Self.number(backend)).map { unsafe String(cString: $0) }
  }

  /// - Parameter satellitePort: of a voice satellite of the same name; 0: there is none.
  func publish(
    _ backend: DiscoveryBackend, name: String, port: UInt16, text: [UInt8], satellitePort: UInt16
  ) throws(AvahiError) {
    unsafe cavahi_offer_satellite(handle, satellitePort)
    try AvahiError.check(
      unsafe cavahi_publish(handle, Self.number(backend), name, port, text, text.count))
  }

  func update(_ backend: DiscoveryBackend, name: String, text: [UInt8]) throws(AvahiError) {
    try AvahiError.check(
      unsafe cavahi_update(handle, Self.number(backend), name, text, text.count))
  }

  func retire(_ backend: DiscoveryBackend) { unsafe cavahi_retire(handle, Self.number(backend)) }

  func withdraw(_ backend: DiscoveryBackend) {
    unsafe cavahi_withdraw(handle, Self.number(backend))
  }

  func browse(_ backend: DiscoveryBackend) throws(AvahiError) {
    try AvahiError.check(unsafe cavahi_browse(handle, Self.number(backend)))
  }

  func resolve(
    _ backend: DiscoveryBackend, token: UInt32, _ instance: ServiceInstance
  ) throws(AvahiError) {
    try AvahiError.check(
      unsafe cavahi_resolve(
        handle, Self.number(backend), token, instance.interface, instance.isIPv6 ? 1 : 0,
        instance.name, instance.domain))
  }

  func stopResolving(_ token: UInt32) { unsafe cavahi_resolve_stop(handle, token) }

  /// The name to try when this one is taken.
  static func nextName(after name: String) -> String {
    var next = [CChar](repeating: 0, count: Int(CAVAHI_NAME_BYTES))
    guard unsafe cavahi_next_name(name, &next) == 0 else { return name }
    return String(decoding: next.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  private static func number(_ backend: DiscoveryBackend) -> Int32 {
    Int32(backend == .daemon ? CAVAHI_DAEMON : CAVAHI_OWN)
  }

  private static let sink: cavahi_sink = { context, event in
    guard let context = unsafe context, let event = unsafe event else { return }
    let inbox = unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue()
    guard inbox.events.count < Inbox.capacity,
      let event = unsafe AvahiEvent(event.pointee)
    else { return }
    inbox.events.append(event)
  }
}

extension AvahiEvent {
  fileprivate init?(_ event: cavahi_event) {
    let backend =
      unsafe event.backend == CAVAHI_DAEMON ? DiscoveryBackend.daemon : DiscoveryBackend.inProcess
    let kind = unsafe Int(event.kind)
    switch kind {
    case CAVAHI_EVENT_STATE: self = unsafe .state(backend, State(event))
    case CAVAHI_EVENT_PUBLISHED: self = unsafe .published(backend, State(event))
    case CAVAHI_EVENT_APPEARED:
      guard let instance = unsafe ServiceInstance(event) else { return nil }
      self = unsafe .appeared(instance, isOwn: event.is_own != 0, isLocal: event.is_local != 0)
    case CAVAHI_EVENT_DISAPPEARED:
      guard let instance = unsafe ServiceInstance(event) else { return nil }
      self = .disappeared(instance)
    case CAVAHI_EVENT_RESOLVED:
      self = unsafe .resolved(event.token, ServiceResolution(event))
    case CAVAHI_EVENT_UNRESOLVED: self = unsafe .unresolved(event.token)
    case CAVAHI_EVENT_BROWSING_FAILED:
      self = unsafe .browsingFailed(AvahiError.words(event.error))
    default: return nil
    }
  }
}

extension AvahiEvent.State {
  fileprivate init(_ event: cavahi_event) {
    switch unsafe Int(event.state) {
    case CAVAHI_STATE_REGISTERING: self = .registering
    case CAVAHI_STATE_RUNNING: self = .running
    case CAVAHI_STATE_COLLISION: self = .collision
    case CAVAHI_STATE_ABSENT: self = .absent
    default: self = unsafe .failed(AvahiError.words(event.error))
    }
  }
}

extension ServiceInstance {
  fileprivate init?(_ event: cavahi_event) {
    guard let name = unsafe event.name, let domain = unsafe event.domain else { return nil }
    interface = unsafe event.interface
    isIPv6 = unsafe event.is_ipv6 != 0
    self.name = unsafe String(cString: name)
    self.domain = unsafe String(cString: domain)
  }
}

extension ServiceResolution {
  fileprivate init(_ event: cavahi_event) {
    let octets = unsafe withUnsafeBytes(of: event.address) { unsafe Array($0) }
    func number(_ range: Range<Int>) -> UInt64 {
      octets[range].reduce(0) { $0 << 8 | UInt64($1) }
    }
    let host: NodeAddress.Host =
      unsafe event.address_is_ipv6 != 0
      ? .ipv6(number(0..<8), number(8..<16)) : .ipv4(UInt32(number(0..<4)))
    let port = unsafe event.port
    let plain = NodeAddress(host, port: port)
    let scope = unsafe UInt32(clamping: event.interface)
    address = plain.isLinkLocal ? NodeAddress(host, port: port, scope: scope) : plain
    let count = unsafe event.txt_bytes
    if let octets = unsafe event.txt {
      text = unsafe Array(UnsafeBufferPointer(start: octets, count: count))
    } else {
      text = []
      isTextOversized = count > 0
    }
  }
}
