internal import Cryptography
internal import Mesh
internal import NIOCore
internal import ServiceLoop

/// The application lane on the event loop: moves frames between ``LaneDesk`` and the connections, messages to their
/// consumers, and answers whoever sends.
///
/// **Back-pressure**: the next frame is asked for when the kernel has all of what was written before, which takes no
/// more than a few KiB that it cannot send yet (`SocketOptions`). So a heartbeat waits for one chunk at most here, and
/// the chunk is as short as the path is slow. Confined to the event loop: hence `@unchecked`.
final class LanePort: @unchecked Sendable {
  typealias Consumer = @Sendable (LaneMessage) async -> Void
  typealias Answer = @Sendable (Result<Void, LaneError>) -> Void

  /// A message to one node.
  private struct Sending: Hashable {
    let node: NodeID
    let channel: LaneChannel
    let sequence: UInt64
  }

  private let loop: any EventLoop
  private let gate: LoopGate
  private let events: EventQueue
  private let desk = LaneDesk(firstNumber: .random(in: 1 ... .max))
  /// Those of members.
  private var connections: [ConnectionID: SecureConnection] = [:]
  private var timers: [ConnectionID: Scheduled<Void>] = [:]
  private var expiryTimer: Scheduled<Void>?
  private var consumers: [LaneChannel: Consumer] = [:]
  /// Who waits for its message to have a place, and to be acknowledged.
  private var queueing: [Sending: [Answer]] = [:]
  private var delivering: [Sending: [Answer]] = [:]
  private var isPumping = false
  private var hasStopped = false

  init(loop: any EventLoop, gate: LoopGate, events: EventQueue) {
    self.loop = loop
    self.gate = gate
    self.events = events
  }

  // MARK: Connections

  /// The other end is a member, and this is the connection in use.
  func attach(_ connection: SecureConnection, _ id: ConnectionID) {
    guard let node = connection.peer, !hasStopped else { return }
    connections[id] = connection
    desk.attach(id, to: node, nowNanoseconds: SecureConnection.nowNanoseconds)
    settle(id)
  }

  /// The connection is over.
  func detach(_ id: ConnectionID) {
    timers.removeValue(forKey: id)?.cancel()
    connections[id] = nil
    desk.detach(id, nowNanoseconds: SecureConnection.nowNanoseconds)
    perform()
    armExpiry()
  }

  /// The node is a member no more.
  func end(_ node: NodeID) {
    desk.end(node)
    perform()
  }

  /// Nobody gets anything from now on.
  func stop() {
    hasStopped = true
    expiryTimer?.cancel()
    for timer in timers.values { timer.cancel() }
    let answers = [queueing, delivering].flatMap { $0.values.joined() }
    (timers, queueing, delivering, connections) = ([:], [:], [:], [:])
    for answer in answers { answer(.failure(.stopped)) }
  }

  /// Lanes that nobody comes back to are given up.
  private func armExpiry() {
    expiryTimer?.cancel()
    expiryTimer = nil
    let deadline = desk.nextDeadlineNanoseconds
    guard deadline < .max, !hasStopped else { return }
    let wait = max(0, deadline - SecureConnection.nowNanoseconds)
    expiryTimer = loop.scheduleTask(in: .nanoseconds(wait)) { [self] in
      desk.expire(nowNanoseconds: SecureConnection.nowNanoseconds)
      perform()
      armExpiry()
    }
  }

  // MARK: Frames

  /// Takes a frame that came.
  func take(_ frame: LaneFrame, on id: ConnectionID) {
    desk.take(frame, on: id, nowNanoseconds: SecureConnection.nowNanoseconds)
    settle(id)
  }

  /// The kernel has all that was written on a connection.
  func isClear(_ id: ConnectionID) { pump(id) }

  private func settle(_ id: ConnectionID?) {
    perform()
    if let id { pump(id) }
  }

  /// Sends what may be sent now, as long as nothing waits, and sees to it that the rest follows when it may.
  private func pump(_ id: ConnectionID) {
    // The kernel may have it before the write returns.
    guard let connection = connections[id], connection.isClear, !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    timers.removeValue(forKey: id)?.cancel()
    while connections[id] != nil, connection.isClear {
      let now = SecureConnection.nowNanoseconds
      guard let frame = desk.next(on: id, nowNanoseconds: now) else { return setTimer(id, now) }
      connection.write(.lane(frame))
    }
  }

  private func setTimer(_ id: ConnectionID, _ now: Int64) {
    let ready = desk.readyNanoseconds(on: id, nowNanoseconds: now)
    guard ready < .max else { return }
    timers[id] = loop.scheduleTask(in: .nanoseconds(max(0, ready - now))) { [self] in
      timers[id] = nil
      pump(id)
    }
  }

  private func perform() {
    for event in desk.takeEvents() { perform(event) }
  }

  private func perform(_ event: LaneEvent) {
    switch event {
    case .message(let message): consume(message)
    case .queued(let node, let channel, let sequence):
      let sending = Sending(node: node, channel: channel, sequence: sequence)
      for answer in queueing.removeValue(forKey: sending) ?? [] { answer(.success(())) }
    case .acknowledged(let node, let channel, let sequence):
      let sending = Sending(node: node, channel: channel, sequence: sequence)
      for answer in delivering.removeValue(forKey: sending) ?? [] { answer(.success(())) }
    case .failed(let node, let channel, let sequence, let error):
      let sending = Sending(node: node, channel: channel, sequence: sequence)
      let answers = [
        queueing.removeValue(forKey: sending), delivering.removeValue(forKey: sending),
      ]
      for answer in answers.compactMap(\.self).joined() { answer(.failure(error)) }
    case .refused(let id, let violation):
      guard let connection = connections[id] else { return }
      events.note(
        ControlFault(
          .lane, "its application lane is refused for a minute: \(violation.words)",
          remote: connection.remote, node: connection.peer, connection: id))
    case .flooded(let id):
      connections[id]?.fail(.laneFlood, "it sends on its application lane after it was refused")
    }
  }

  // MARK: Messages

  /// Takes the messages of a channel from now on.
  func open(_ channel: LaneChannel, _ consumer: @escaping Consumer) {
    consumers[channel] = consumer
    desk.open(channel)
    for id in connections.keys { pump(id) }
  }

  private func consume(_ message: LaneMessage) {
    guard let consumer = consumers[message.key.channel] else { return }
    Task { [self] in
      await consumer(message)
      gate.run { [self] in
        desk.finish(message, nowNanoseconds: SecureConnection.nowNanoseconds)
        settle(desk.connection(of: message.key.sender))
      }
    }
  }

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - whenQueued: called when it has its place, or never will.
  ///   - whenDelivered: called when it is acknowledged, or never will be.
  func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64,
    whenQueued: Answer? = nil, whenDelivered: Answer? = nil
  ) {
    guard !hasStopped else {
      whenQueued?(.failure(.stopped))
      whenDelivered?(.failure(.stopped))
      return
    }
    let sending = Sending(node: node, channel: channel, sequence: sequence)
    do throws(LaneError) {
      try desk.send(octets, on: channel, to: node, sequence: sequence)
    } catch {
      whenQueued?(.failure(error))
      whenDelivered?(.failure(error))
      return
    }
    if let whenQueued { queueing[sending, default: []].append(whenQueued) }
    if let whenDelivered { delivering[sending, default: []].append(whenDelivered) }
    settle(desk.connection(of: node))
  }
}
