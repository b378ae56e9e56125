import Cryptography
import Mesh
import TestKit

/// Two nodes in virtual time that move a file over TCP and a narrow link, beside heartbeats and voices.
///
/// TCP as far as it matters here: segments of 1200 octets in order, so many under way at once, and one that was lost
/// sent again when its acknowledgement is overdue. Voices and segments share a queue at the rate cap.
final class LaneSimulation {
  /// What goes from one node to the other.
  struct Pipe {
    var link: VirtualLink
    /// In the sender's kernel, and not on the wire yet.
    var unsent: [UInt8] = []
    var underWay: [UInt64: [UInt8]] = [:]
    /// When a segment is acknowledged, or sent again.
    var moments: [(nanoseconds: Int64, segment: UInt64, isLost: Bool)] = []
    var nextSegment: UInt64 = 0
    /// The segment that is to arrive next.
    var expected: UInt64 = 0
    var arrived: [UInt64: [UInt8]] = [:]
    var decoder = MessageDecoder(limits: .member)
  }

  private static let segmentBytes = 1200
  private static let window = 20
  private static let voiceNanoseconds: Int64 = 20_000_000
  private static let voiceBytes = 160
  private static let heartbeatNanoseconds: Int64 = 2_000_000_000

  let desks = [LaneDesk(firstNumber: 10), LaneDesk(firstNumber: 1 << 40)]
  let nodes = [NodeID.test(0x10), NodeID.test(0xF0)]
  private(set) var now: Int64 = 0
  private var pipes: [Pipe]
  private var connection: ConnectionID?
  private var connectionCount: UInt64 = 0
  private let talkers: Int
  private let delayNanoseconds: Int64
  private var heartbeatsSent: [[Int64]] = [[], []]

  /// How long heartbeats took.
  private(set) var heartbeatNanoseconds: [Int64] = []
  /// How long voices took, by milliseconds.
  private(set) var voiceMilliseconds: [Int: Int] = [:]
  /// Messages that came to the second node.
  var received: (LaneMessage) -> Void = { _ in }
  /// What the first one is told.
  var told: (LaneEvent) -> Void = { _ in }

  init(model: LinkModel, talkers: Int, seed: UInt64) {
    self.talkers = talkers
    delayNanoseconds = model.delayNanoseconds
    pipes = [0, 1].map { Pipe(link: VirtualLink(model: model, seed: seed &* 2 &+ UInt64($0))) }
    for desk in desks { for channel in LaneChannel.allCases { desk.open(channel) } }
  }

  /// Voices that the queue had no room for.
  var droppedCount: Int { pipes.reduce(0) { $0 + $1.link.counters.dropped } }

  /// Below how many milliseconds a share of the voices stayed.
  func voiceMilliseconds(below share: Double) -> Int {
    let all = voiceMilliseconds.sorted { $0.key < $1.key }
    var left = Int(share * Double(all.reduce(0) { $0 + $1.value }))
    for (milliseconds, count) in all {
      left -= count
      if left <= 0 { return milliseconds }
    }
    return all.last?.key ?? 0
  }

  func connect() {
    connectionCount += 1
    let connection = ConnectionID(rawValue: connectionCount)
    self.connection = connection
    for end in 0...1 {
      desks[end].attach(connection, to: nodes[1 - end], nowNanoseconds: now)
      pipes[end].unsent = []
      pipes[end].underWay = [:]
      pipes[end].moments = []
      (pipes[end].nextSegment, pipes[end].expected) = (0, 0)
      pipes[end].arrived = [:]
      pipes[end].decoder = MessageDecoder(limits: .member)
    }
    heartbeatsSent = [[], []]
  }

  func disconnect() {
    if let connection { for desk in desks { desk.detach(connection, nowNanoseconds: now) } }
    connection = nil
  }

  /// Lets a millisecond pass.
  func step() {
    for end in 0...1 {
      let wholeVoice = now % Self.voiceNanoseconds / 1_000_000
      for talker in 0..<talkers where Int64(talker * 2) % 20 == wholeVoice {
        sendVoice(from: end)
      }
      acknowledge(end)
      if connection != nil, now % Self.heartbeatNanoseconds == Int64(end) * 700_000_000 {
        pipes[end].unsent += Message.heartbeat(Heartbeat(memberCount: 8)).frame()
        heartbeatsSent[end].append(now)
      }
      ask(end)
      transmit(end)
      deliver(end)
    }
    for end in 0...1 { collect(end) }
    now += 1_000_000
  }

  private func sendVoice(from end: Int) {
    var bytes = [UInt8](repeating: 0, count: Self.voiceBytes)
    for index in 0..<8 { bytes[1 + index] = UInt8(truncatingIfNeeded: now >> (8 * Int64(index))) }
    pipes[end].link.send(bytes, atNanoseconds: now)
  }

  /// What is to be sent next is asked for only when nothing of the last waits.
  private func ask(_ end: Int) {
    guard let connection else { return }
    while pipes[end].unsent.isEmpty,
      let frame = desks[end].next(on: connection, nowNanoseconds: now)
    {
      pipes[end].unsent += Message.lane(frame).frame()
    }
  }

  private func transmit(_ end: Int) {
    while !pipes[end].unsent.isEmpty, pipes[end].underWay.count < Self.window {
      let octets = Array(pipes[end].unsent.prefix(Self.segmentBytes))
      pipes[end].unsent.removeFirst(octets.count)
      let number = pipes[end].nextSegment
      pipes[end].nextSegment += 1
      pipes[end].underWay[number] = octets
      put(number, octets, end)
    }
  }

  private func put(_ number: UInt64, _ octets: [UInt8], _ end: Int) {
    var bytes: [UInt8] = [1] + connectionCount.octets + number.octets + octets
    // TCP's headers, but for those of UDP.
    bytes += [UInt8](repeating: 0, count: 24)
    pipes[end].link.send(bytes, atNanoseconds: now)
    let arrival = pipes[end].link.journeys.last?.arrivalNanoseconds ?? nil
    pipes[end].moments.append(
      arrival.map { ($0 + delayNanoseconds, number, false) }
        ?? (now + 3 * delayNanoseconds + 30_000_000, number, true))
  }

  private func acknowledge(_ end: Int) {
    let due = pipes[end].moments.filter { $0.nanoseconds <= now }
    guard !due.isEmpty else { return }
    pipes[end].moments.removeAll { $0.nanoseconds <= now }
    for moment in due {
      if moment.isLost {
        if let octets = pipes[end].underWay[moment.segment] { put(moment.segment, octets, end) }
      } else {
        pipes[end].underWay[moment.segment] = nil
      }
    }
  }

  private func deliver(_ end: Int) {
    while let delivery = pipes[end].link.receive(byNanoseconds: now) {
      let bytes = delivery.bytes
      guard bytes[0] == 1 else {
        let sent = Int64(truncatingIfNeeded: UInt64(octets: bytes[1..<9]))
        voiceMilliseconds[Int((delivery.arrivalNanoseconds - sent) / 1_000_000), default: 0] += 1
        continue
      }
      guard connection != nil, UInt64(octets: bytes[1..<9]) == connectionCount else { continue }
      pipes[end].arrived[UInt64(octets: bytes[9..<17])] = Array(bytes[17...].dropLast(24))
      while let octets = pipes[end].arrived.removeValue(forKey: pipes[end].expected) {
        pipes[end].expected += 1
        hand(octets, from: end)
      }
    }
  }

  private func hand(_ octets: [UInt8], from end: Int) {
    var messages: [Message] = []
    do {
      try pipes[end].decoder.receive(octets, nowNanoseconds: now) {
        messages.append($0)
        return true
      }
    } catch {
      preconditionFailure("\(error)")
    }
    guard let connection else { return }
    for message in messages {
      switch message {
      case .lane(let frame): desks[1 - end].take(frame, on: connection, nowNanoseconds: now)
      default: heartbeatNanoseconds.append(now - heartbeatsSent[end].removeFirst())
      }
    }
  }

  private func collect(_ end: Int) {
    for event in desks[end].takeEvents() {
      if case .message(let message) = event {
        if end == 1 { received(message) }
        desks[end].finish(message, nowNanoseconds: now)
      } else if end == 0 {
        told(event)
      }
    }
  }
}

extension UInt64 {
  fileprivate var octets: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

  fileprivate init(octets: some Sequence<UInt8>) {
    self = octets.enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
  }
}
