internal import Glibc
internal import System

/// One client of the control socket.
///
/// Lives on the server's thread only.
///
/// States: *reading* (waits for a line) → *handling* (a request is with the handler; nothing is read) →
/// *writing* (the answer has not all been taken; nothing is read) → reading again. After a line that is
/// too long: writing → *draining* (our side is shut, what still comes is thrown away, because closing
/// with unread bytes would take the answer from the client) → closed. The end of the client's side
/// closes once all that it sent is answered. One deadline covers each wait: it is set when the client
/// connects, when an answer is queued and when it has been taken, and never by mere bytes, so that
/// sending slowly wins no time.
struct ControlConnection {
  /// What the connection yields to the server.
  enum Event: Equatable {
    /// A line to be handled.
    case line([UInt8])
    /// A line over the limit; the connection answers nothing more.
    case tooLong
  }

  /// The time after which the client has used up its patience.
  private(set) var deadline: ContinuousClock.Instant
  /// A request is with the handler.
  private(set) var isHandling = false
  /// The client is gone; the entry is kept only until its request comes back from the handler.
  private(set) var isClosed = false

  private var descriptor: Descriptor?
  private var input: LineBuffer
  private var output: [UInt8] = []
  private var written = 0
  private var hasEnded = false
  private var isLast = false
  private var isDraining = false

  /// A client that just connected.
  init(_ descriptor: Descriptor, lineLimitBytes: Int, deadline: ContinuousClock.Instant) {
    self.descriptor = descriptor
    self.deadline = deadline
    input = LineBuffer(limitBytes: lineLimitBytes)
  }

  /// What to wait for: a descriptor (-1: nothing) and poll's events.
  var interest: pollfd {
    var events: Int16 = 0
    if !output.isEmpty { events |= Int16(POLLOUT) }
    if canRead { events |= Int16(POLLIN) }
    return pollfd(fd: descriptor?.number ?? -1, events: events, revents: 0)
  }

  private var canRead: Bool { isDraining || (output.isEmpty && !isHandling && !hasEnded) }

  /// Does what poll found possible.
  mutating func service(_ ready: Int16, now: ContinuousClock.Instant, patience: Duration) {
    if ready & Int16(POLLOUT) != 0 { write(now: now, patience: patience) }
    if ready & Int16(POLLIN) != 0, canRead {
      read()
    } else if ready & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 {
      close()
    }
  }

  /// The next line to handle, if it is this client's turn.
  mutating func nextEvent() -> Event? {
    guard !isClosed, !isHandling, !isDraining, !isLast, output.isEmpty else { return nil }
    var next = input.next()
    if next == .nothing, hasEnded {
      next = input.rest()
      if next == .nothing { close() }
    }
    switch next {
    case .line(let line):
      isHandling = true
      return .line(line)
    case .tooLong:
      isLast = true
      return .tooLong
    case .nothing: return nil
    }
  }

  /// Queues an answer and sends as much of it as the client takes at once.
  mutating func answer(_ line: [UInt8], now: ContinuousClock.Instant, patience: Duration) {
    isHandling = false
    guard !isClosed else { return }
    output = line + [UInt8(ascii: "\n")]
    written = 0
    deadline = now + patience
    write(now: now, patience: patience)
  }

  /// Lets go of the client.
  mutating func close() {
    descriptor = nil
    isClosed = true
    output = []
  }

  private mutating func write(now: ContinuousClock.Instant, patience: Duration) {
    guard let descriptor, !output.isEmpty else { return }
    let sent = unsafe output.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      return SystemCall.result {
        unsafe send(descriptor.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
    }
    if SystemCall.isWouldBlock(sent) { return }
    guard sent >= 0 else { return close() }
    written += sent
    guard written == output.count else { return }
    output = []
    deadline = now + patience
    if isLast {
      shutdown(descriptor.number, Int32(SHUT_WR))
      isDraining = true
    }
  }

  private mutating func read() {
    guard let descriptor else { return }
    let wanted = isDraining ? 16_384 : min(input.roomBytes, 16_384)
    var received = 0
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      received = SystemCall.result {
        unsafe recv(descriptor.number, buffer.baseAddress, wanted, 0)
      }
      count = max(0, received)
    }
    if SystemCall.isWouldBlock(received) { return }
    guard received >= 0 else { return close() }
    if isDraining {
      if received == 0 { close() }
    } else if received == 0 {
      hasEnded = true
    } else {
      input.append(chunk)
    }
  }
}
