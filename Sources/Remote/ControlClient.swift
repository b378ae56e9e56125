internal import Glibc
internal import System

/// The client side of the control socket: one request, one response, in turn.
///
/// Its calls wait (at most the time-out) in the calling thread.
public struct ControlClient: ~Copyable {
  /// The longest response accepted, bytes: 64 peers take about 40 000.
  private static let answerLimitBytes = 1 << 20

  private let path: String
  private let timeout: Duration
  private let descriptor: Descriptor
  private var input = LineBuffer(limitBytes: Self.answerLimitBytes)

  /// Connects to the daemon whose socket is at `path`.
  ///
  /// `timeout` bounds this and each request. Throws in words for a person.
  public init(path: String, timeout: Duration = .seconds(5)) throws(RemoteError) {
    let descriptor = try Self.connect(path: path, timeout: timeout)
    self.path = path
    self.timeout = timeout
    self.descriptor = descriptor
  }

  /// The daemon's process (SO_PEERCRED, unix(7)); nil: of another process namespace.
  public var serverProcess: Int32? {
    // `struct ucred`: process, user and group; Glibc's module does not have it.
    var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    let code = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    return code == 0 && credentials.process > 0 ? credentials.process : nil
  }

  /// Sends a request and waits for the response.
  ///
  /// ``ControlResponse/error(message:)`` is a response like the others.
  public mutating func request(_ request: ControlRequest) throws(RemoteError) -> ControlResponse {
    let deadline = ContinuousClock.now + timeout
    try send(try JSONLine.encode(request) + [UInt8(ascii: "\n")], until: deadline)
    guard let line = try line(until: deadline) else { throw timedOut(after: timeout) }
    return try JSONLine.decode(ControlResponse.self, from: line)
  }

  /// The next line that the daemon sends; nil: none came in time.
  package mutating func line(until deadline: ContinuousClock.Instant) throws(RemoteError)
    -> [UInt8]?
  {
    while true {
      switch input.next() {
      case .line(let line): return line
      case .tooLong: throw .malformed("the response of comlinkd at \(path) is too long")
      case .nothing: guard try receive(until: deadline) else { return nil }
      }
    }
  }

  /// That the daemon took too long.
  func timedOut(after duration: Duration) -> RemoteError {
    .timedOut(path: path, seconds: duration / .seconds(1))
  }

  private func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(RemoteError) {
    var written = 0
    while written < bytes.count {
      let sent = unsafe bytes.withUnsafeBytes { all in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: all[written...])
        return SystemCall.result {
          unsafe Glibc.send(
            descriptor.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        }
      }
      if SystemCall.isWouldBlock(sent) {
        guard wait(for: POLLOUT, until: deadline) else { throw timedOut(after: timeout) }
      } else if sent < 0 {
        // The daemon may have said why before it hung up: reading tells.
        return
      } else {
        written += sent
      }
    }
  }

  /// False when nothing came in time.
  private mutating func receive(
    until deadline: ContinuousClock.Instant
  ) throws(RemoteError) -> Bool {
    let number = descriptor.number
    var received = 0
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      received = SystemCall.result { unsafe recv(number, buffer.baseAddress, 65_536, 0) }
      count = max(0, received)
    }
    if SystemCall.isWouldBlock(received) { return wait(for: POLLIN, until: deadline) }
    guard received > 0 else { throw .disconnected(path: path) }
    input.append(chunk)
    return true
  }

  /// False when it was not possible in time.
  private func wait(for events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    let left = (deadline - ContinuousClock.now) / .milliseconds(1)
    var polled = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
    return SystemCall.result { unsafe poll(&polled, 1, Int32(max(0, left.rounded(.up)))) } != 0
  }

  private static func connect(path: String, timeout: Duration) throws(RemoteError) -> Descriptor {
    let address = try UnixAddress(path: path)
    let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let made = SystemCall.result { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0) }
    if let code = SystemCall.code(made) {
      throw .system(operation: "make a socket for", path: path, code: code)
    }
    let descriptor = Descriptor(owning: Int32(made))
    let deadline = ContinuousClock.now + timeout
    var connected = address.connect(descriptor.number)
    // A UNIX socket whose queue is full has nothing to poll for; only asking again helps.
    while SystemCall.isWouldBlock(connected) {
      guard ContinuousClock.now < deadline else {
        throw .timedOut(path: path, seconds: timeout / .seconds(1))
      }
      usleep(10_000)
      connected = address.connect(descriptor.number)
    }
    switch SystemCall.code(connected) {
    case nil: return descriptor
    case ENOENT, ECONNREFUSED, ENOTDIR: throw .noServer(path: path)
    case EACCES, EPERM: throw .noPermission(path: path, group: SocketGroup.name(at: path))
    case .some(let code): throw .system(operation: "connect to", path: path, code: code)
    }
  }
}
