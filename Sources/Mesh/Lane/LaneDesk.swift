public import Cryptography

/// The application lanes of this node to all others, and what they share: channels, consumers, memory.
///
/// Sans-I/O: one call at a time, all times of one steady clock. Whoever holds the control connections tells which of
/// them are members', hands it their frames, asks what to send next on each (``next(on:nowNanoseconds:)``), and does
/// what ``takeEvents()`` says. What others send makes it hold no more than the windows of their channels, and
/// ``LaneLimits/heldBytes`` of all together.
public final class LaneDesk {
  private struct Waiting {
    let node: NodeID
    let channel: LaneChannel
    let octets: [UInt8]
    let sequence: UInt64
  }

  /// What was refused, by reason, and frames that came for no lane, or from who was refused.
  public private(set) var violationCounts: [LaneViolation: Int] = [:]
  /// Frames that were not looked at.
  public private(set) var ignoredFrames = 0

  private let firstNumber: UInt64
  private var numberCount: UInt64 = 0
  private var lanes: [NodeID: Lane] = [:]
  private var nodes: [ConnectionID: NodeID] = [:]
  /// Resumes that came before their connection was a member's.
  private var early: [ConnectionID: LaneResume] = [:]
  private var open: Set<LaneChannel> = []
  /// Channels whose consumer has a message in hand, and whose it is.
  private var inHand: [LaneChannel: NodeID] = [:]
  /// Who has a message for a consumer, in turn.
  private var turns: [LaneChannel: [NodeID]] = [:]
  /// Octets that wait for consumers.
  private var heldBytes = 0
  private var waiting: [Waiting] = []
  private var events: [LaneEvent] = []

  /// - Parameter firstNumber: of this run's lanes: random, so that no other run has the same.
  public init(firstNumber: UInt64) { self.firstNumber = firstNumber >> 2 }

  private func newNumber() -> UInt64 {
    numberCount += 1
    return max(1, (firstNumber &+ numberCount) & (1 << 62 - 1))
  }

  // MARK: Connections

  /// A connection is a member's, and the one in use.
  public func attach(_ connection: ConnectionID, to node: NodeID, nowNanoseconds now: Int64) {
    makeRoom(for: node, now)
    let lane = lanes[node] ?? Lane(node: node, number: newNumber(), open: open)
    lanes[node] = lane
    if let former = lane.connection { nodes[former] = nil }
    nodes[connection] = node
    lane.attach(connection)
    if let resume = early.removeValue(forKey: connection) {
      take(.resume(resume), on: connection, nowNanoseconds: now)
    }
  }

  /// Lanes without a connection make room for those that have one, the longest lost first.
  private func makeRoom(for node: NodeID, _ now: Int64) {
    for lane in lanes.values where lane.lostUntilNanoseconds <= now { end(lane) }
    guard lanes[node] == nil, lanes.count >= LaneLimits.lanes else { return }
    let lost = lanes.values.filter { $0.connection == nil }
    if let oldest = lost.min(by: { $0.lostUntilNanoseconds < $1.lostUntilNanoseconds }) {
      end(oldest)
    }
  }

  /// A connection is over; its lane waits for another for a while.
  public func detach(_ connection: ConnectionID, nowNanoseconds now: Int64) {
    early[connection] = nil
    guard let node = nodes.removeValue(forKey: connection), let lane = lanes[node],
      lane.connection == connection
    else { return }
    lane.detach(
      lostUntilNanoseconds: now.saturatingAdding(LaneLimits.lostNanoseconds))
  }

  /// A node is a member no more, and does not come back by itself: what is under way to it is given up.
  public func end(_ node: NodeID) { lanes[node].map(end) }

  private func end(_ lane: Lane) {
    lanes[lane.node] = nil
    heldBytes -= lane.heldBytes
    if let connection = lane.connection { nodes[connection] = nil }
    for (channel, sequence) in lane.unacknowledged {
      events.append(.failed(lane.node, channel, sequence: sequence, .notMember))
    }
    for one in waiting where one.node == lane.node {
      events.append(.failed(lane.node, one.channel, sequence: one.sequence, .notMember))
    }
    waiting.removeAll { $0.node == lane.node }
  }

  /// When lanes that nobody came back to are to be ended; `max`: there are none.
  public var nextDeadlineNanoseconds: Int64 {
    lanes.values.reduce(.max) { min($0, $1.lostUntilNanoseconds) }
  }

  /// Ends lanes that nobody came back to.
  public func expire(nowNanoseconds now: Int64) {
    for lane in lanes.values where lane.lostUntilNanoseconds <= now { end(lane) }
  }

  // MARK: What comes

  /// Takes a frame that came on any connection that has proved its node.
  public func take(
    _ frame: LaneFrame, on connection: ConnectionID, nowNanoseconds now: Int64
  ) {
    guard let node = nodes[connection], let lane = lanes[node] else {
      return takeEarly(frame, on: connection)
    }
    let before = lane.heldBytes
    let outcome = lane.take(frame, newNumber: newNumber, nowNanoseconds: now)
    heldBytes += lane.heldBytes - before
    switch outcome {
    case .taken(let acknowledged):
      for (channel, sequence) in acknowledged {
        events.append(.acknowledged(node, channel, sequence: sequence))
      }
      if !acknowledged.isEmpty { admitWaiting(to: lane) }
      if case .chunk(let chunk) = frame, let channel = LaneChannel(rawValue: chunk.channel) {
        boundHeld(now)
        giveTurn(to: lane, on: channel)
        serve(channel)
      }
    case .refused(let violation): tell(violation, of: lane)
    case .ignored: ignoredFrames += 1
    case .flooded: events.append(.flooded(connection))
    }
  }

  /// The other end may know before us that it is a member; nothing but its resume can come then.
  private func takeEarly(_ frame: LaneFrame, on connection: ConnectionID) {
    guard case .resume(let resume) = frame,
      early[connection] != nil || early.count < LaneLimits.early
    else {
      ignoredFrames += 1
      return
    }
    early[connection] = resume
  }

  private func tell(_ violation: LaneViolation, of lane: Lane) {
    violationCounts[violation, default: 0] += 1
    if let connection = lane.connection { events.append(.refused(connection, violation)) }
  }

  private func boundHeld(_ now: Int64) {
    while heldBytes > LaneLimits.heldBytes,
      let most = lanes.values.max(by: { $0.heldBytes < $1.heldBytes }), most.heldBytes > 0
    {
      refuse(.held, most, now)
    }
  }

  private func refuse(_ violation: LaneViolation, _ lane: Lane, _ now: Int64) {
    heldBytes -= lane.heldBytes
    lane.refuse(violation, newNumber: newNumber(), nowNanoseconds: now)
    tell(violation, of: lane)
  }

  // MARK: What goes

  /// Sends a message as soon as there is room for it: ``LaneEvent/queued(_:_:sequence:)`` tells, and
  /// ``LaneEvent/acknowledged(_:_:sequence:)`` that the other's consumer has done with it.
  ///
  /// - Parameter sequence: its number, below 2⁶², that no other message of this node has on this channel; it may be
  ///   sent to any number of nodes.
  public func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) throws(LaneError) {
    let maximum = channel.maximumMessageBytes
    guard (1...maximum).contains(octets.count) else {
      throw .wrongLength(byteCount: octets.count, maximum: maximum)
    }
    guard let lane = lanes[node] else { throw .notMember }
    let isFirst = !waiting.contains { $0.node == node && $0.channel == channel }
    if isFirst, lane.hasRoom(for: octets.count, on: channel) {
      lane.append(octets, on: channel, sequence: sequence)
      return events.append(.queued(node, channel, sequence: sequence))
    }
    let count = waiting.count { $0.node == node && $0.channel == channel }
    guard count < LaneOutlet.mostWaiting else { throw .crowded(maximum: LaneOutlet.mostWaiting) }
    waiting.append(Waiting(node: node, channel: channel, octets: octets, sequence: sequence))
  }

  private func admitWaiting(to lane: Lane) {
    var blocked: Set<LaneChannel> = []
    waiting.removeAll { one in
      guard one.node == lane.node, !blocked.contains(one.channel) else { return false }
      guard lane.hasRoom(for: one.octets.count, on: one.channel) else {
        blocked.insert(one.channel)
        return false
      }
      lane.append(one.octets, on: one.channel, sequence: one.sequence)
      events.append(.queued(one.node, one.channel, sequence: one.sequence))
      return true
    }
  }

  /// The next frame to send on a connection; to be asked for when nothing of the last one waits in this machine.
  public func next(on connection: ConnectionID, nowNanoseconds now: Int64) -> LaneFrame? {
    nodes[connection].flatMap { lanes[$0] }?.next(nowNanoseconds: now)
  }

  /// When to ask for the next frame of a connection if nothing comes before that; `max`: not.
  public func readyNanoseconds(
    on connection: ConnectionID, nowNanoseconds now: Int64
  ) -> Int64 {
    nodes[connection].flatMap { lanes[$0] }?.readyNanoseconds(nowNanoseconds: now) ?? .max
  }

  /// The connection that a node's lane is on.
  public func connection(of node: NodeID) -> ConnectionID? { lanes[node]?.connection }

  // MARK: Consumers

  /// A consumer takes the messages of a channel from now on, one at a time (``LaneEvent/message(_:)``).
  public func open(_ channel: LaneChannel) {
    guard open.insert(channel).inserted else { return }
    for lane in lanes.values { lane.open(channel) }
  }

  /// A consumer has done with its message: it is acknowledged, and the next one follows.
  ///
  /// Of a stream that began anew meanwhile it is not: then it comes once more.
  public func finish(_ message: LaneMessage, nowNanoseconds now: Int64) {
    let (channel, sender) = (message.key.channel, message.key.sender)
    guard inHand[channel] == sender else { return }
    inHand[channel] = nil
    if let lane = lanes[sender] {
      let before = lane.heldBytes
      do {
        try lane.finish(on: channel)
        heldBytes += lane.heldBytes - before
        giveTurn(to: lane, on: channel)
      } catch {
        heldBytes += lane.heldBytes - before
        refuse(error, lane, now)
      }
    }
    serve(channel)
  }

  private func giveTurn(to lane: Lane, on channel: LaneChannel) {
    guard lane.hasMessage(on: channel), turns[channel]?.contains(lane.node) != true else { return }
    turns[channel, default: []].append(lane.node)
  }

  /// Gives a consumer that has none the next message.
  private func serve(_ channel: LaneChannel) {
    while inHand[channel] == nil, turns[channel]?.isEmpty == false,
      let node = turns[channel]?.removeFirst()
    {
      guard let message = lanes[node]?.nextMessage(on: channel) else { continue }
      inHand[channel] = node
      events.append(.message(message))
    }
  }

  /// What happened since the last call.
  public func takeEvents() -> [LaneEvent] {
    defer { events = [] }
    return events
  }
}
