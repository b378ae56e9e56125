internal import Glibc
internal import StatusSchema
internal import System

/// The control server's thread: one poll over the listening socket, the mailbox and all clients.
///
/// Nothing here waits for a client or for the handler: clients are non-blocking, requests run as tasks
/// on Swift's pool and come back through the mailbox. Each client has at most one request with the
/// handler, and keeps its place until that comes back even if it has gone meanwhile, so the number of
/// clients also bounds the number of tasks.
struct ControlLoop: ~Copyable {
  private let listener: ControlListener
  private let mailbox: ControlMailbox
  private let handler: any ControlHandler
  private let limits: ControlLimits
  private var clients: [UInt64: ControlConnection] = [:]
  /// Requests under way that end with their client.
  private var tasks: [UInt64: Task<Void, Never>] = [:]
  private var nextClient: UInt64 = 0
  private var now = ContinuousClock.now
  /// Set while accepting fails for want of descriptors; the socket stays readable, so polling it would
  /// only burn time.
  private var acceptsAgain: ContinuousClock.Instant?
  /// A client had a line in this round and may have more: the next round must not wait.
  private var hasMore = false

  /// A loop over a socket that listens.
  init(
    listener: ControlListener, mailbox: ControlMailbox, handler: any ControlHandler,
    limits: ControlLimits
  ) {
    self.listener = listener
    self.mailbox = mailbox
    self.handler = handler
    self.limits = limits
  }

  /// Serves until the mailbox says stop.
  mutating func run() {
    while true {
      let order = Array(clients.keys)
      let ready = wait(for: order)
      now = ContinuousClock.now
      let (answers, isStopping) = mailbox.collect()
      if isStopping { return }
      for (client, line) in answers {
        tasks[client] = nil
        clients[client]?.answer(line, now: now, patience: limits.idleTimeout)
      }
      for (client, events) in zip(order, ready.dropFirst(2)) where events != 0 {
        clients[client]?.service(events, now: now, patience: limits.idleTimeout)
      }
      dropTheLate()
      hasMore = false
      for client in order { handleLine(of: client) }
      if ready[0] != 0 { acceptAll() }
      let open = clients.values.count { !$0.isClosed }
      mailbox.count { $0.clients = open }
    }
  }

  private func wait(for order: [UInt64]) -> [Int16] {
    let accepts = acceptsAgain.map { $0 <= now } ?? true
    var polled = [
      pollfd(fd: accepts ? listener.descriptor.number : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mailbox.descriptor.number, events: Int16(POLLIN), revents: 0),
    ]
    polled += order.compactMap { clients[$0]?.interest }
    // A signal or a failure looks like "nothing ready"; the deadlines are looked at either way.
    _ = unsafe poll(&polled, nfds_t(polled.count), waitMilliseconds)
    return polled.map(\.revents)
  }

  private var waitMilliseconds: Int32 {
    if hasMore { return 0 }
    var next = clients.values.filter { !$0.isHandling && !$0.isClosed }.map(\.deadline).min()
    if let acceptsAgain { next = min(next ?? acceptsAgain, acceptsAgain) }
    guard let next else { return -1 }
    let (seconds, attoseconds) = (next - ContinuousClock.now).components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
    return Int32(clamping: max(0, milliseconds))
  }

  private mutating func dropTheLate() {
    for (client, connection) in clients where !connection.isHandling && !connection.isClosed {
      guard connection.deadline <= now else { continue }
      clients[client]?.close()
      mailbox.count { $0.timedOut += 1 }
    }
  }

  /// Handles one line of a client, so that clients take turns however much they send; forgets a
  /// client that is gone.
  private mutating func handleLine(of client: UInt64) {
    if let event = clients[client]?.nextEvent() {
      hasMore = true
      switch event {
      case .line(let line): begin(line, for: client)
      case .tooLong:
        mailbox.count { $0.oversized += 1 }
        let message = "line longer than \(limits.lineBytes) bytes"
        clients[client]?.answer(
          Self.encoded(.error(message: message)), now: now, patience: limits.idleTimeout)
      }
    }
    guard let connection = clients[client], connection.isClosed else { return }
    tasks.removeValue(forKey: client)?.cancel()
    if !connection.isHandling { clients[client] = nil }
  }

  private mutating func begin(_ line: [UInt8], for client: UInt64) {
    do throws(RemoteError) {
      let request = try JSONLine.decode(ControlRequest.self, from: line)
      mailbox.count { $0.requests += 1 }
      let (handler, mailbox) = (handler, mailbox)
      let task = Task {
        var response = await handler.handle(request)
        if case .status(var status) = response {
          status.control = mailbox.counters
          response = .status(status)
        }
        mailbox.leave(Self.encoded(response), for: client)
      }
      if request.endsWithItsClient { tasks[client] = task }
    } catch {
      mailbox.count { $0.malformed += 1 }
      clients[client]?.answer(
        Self.encoded(.error(message: "not a request: \(error)")), now: now,
        patience: limits.idleTimeout)
    }
  }

  private mutating func acceptAll() {
    acceptsAgain = nil
    while true {
      let number = listener.descriptor.number
      // Not accept4: Swift's Glibc module has none.
      let accepted = SystemCall.result { accept(number, nil, nil) }
      if SystemCall.isWouldBlock(accepted) { return }
      guard accepted >= 0 else {
        acceptsAgain = now + .milliseconds(100)
        return
      }
      let descriptor = Descriptor(owning: Int32(accepted))
      _ = fcntl(descriptor.number, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor.number, F_SETFL, O_NONBLOCK)
      admit(descriptor)
    }
  }

  private mutating func admit(_ descriptor: Descriptor) {
    let deadline = now + limits.idleTimeout
    var connection = ControlConnection(
      descriptor, lineLimitBytes: limits.lineBytes, deadline: deadline)
    guard clients.count < limits.clients else {
      mailbox.count { $0.refused += 1 }
      let message = "comlinkd already serves \(limits.clients) clients; try again"
      connection.answer(
        Self.encoded(.error(message: message)), now: now, patience: limits.idleTimeout)
      return
    }
    clients[nextClient] = connection
    nextClient += 1
  }

  private static func encoded(_ response: ControlResponse) -> [UInt8] {
    do throws(RemoteError) {
      return try JSONLine.encode(response)
    } catch {
      return Array(#"{"error":"the answer cannot be written as JSON","ok":false}"#.utf8)
    }
  }
}
