import Cryptography
import Mesh
import TestKit

/// Two nodes' lanes on a connection without a delay: what one wants to send the other takes at once.
final class LanePair {
  /// One of the two, and what it was told.
  final class End {
    let node: NodeID
    let desk: LaneDesk
    /// What happened and nobody asked for.
    var events: [LaneEvent] = []
    /// What was sent on the connection.
    var sent: [LaneFrame] = []

    init(_ node: NodeID, firstNumber: UInt64) {
      self.node = node
      desk = LaneDesk(firstNumber: firstNumber)
    }

    var messages: [LaneMessage] {
      events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    var acknowledged: [UInt64] {
      events.compactMap { if case .acknowledged(_, _, let sequence) = $0 { sequence } else { nil } }
    }

    var violations: [LaneViolation] {
      events.compactMap { if case .refused(_, let violation) = $0 { violation } else { nil } }
    }

    var failed: [UInt64] {
      events.compactMap { if case .failed(_, _, let sequence, _) = $0 { sequence } else { nil } }
    }
  }

  private(set) var one = End(NodeID.test(0x10), firstNumber: 1000)
  private(set) var other = End(NodeID.test(0xF0), firstNumber: 90_000)
  private(set) var now: Int64 = 1_000_000_000
  private var runs: UInt64 = 0
  private(set) var connection = ConnectionID(rawValue: 0)

  init(open: Set<LaneChannel> = Set(LaneChannel.allCases)) {
    for channel in LaneChannel.allCases where open.contains(channel) {
      one.desk.open(channel)
      other.desk.open(channel)
    }
  }

  /// Connects both anew.
  func connect() {
    connection = ConnectionID(rawValue: connection.rawValue + 1)
    one.desk.attach(connection, to: other.node, nowNanoseconds: now)
    other.desk.attach(connection, to: one.node, nowNanoseconds: now)
  }

  func disconnect() {
    one.desk.detach(connection, nowNanoseconds: now)
    other.desk.detach(connection, nowNanoseconds: now)
  }

  /// The other node runs anew, and knows nothing.
  func restartOther() {
    runs += 1
    other = End(NodeID.test(0xF0), firstNumber: 90_000 + runs * 410_000)
    for channel in LaneChannel.allCases { other.desk.open(channel) }
  }

  /// Lets time pass, in which each sends what it may.
  ///
  /// - Parameters:
  ///   - finishes: whether consumers have done with what they get at once.
  ///   - passes: whether a frame of the first arrives.
  ///   - answers: whether one of the second does.
  func run(
    seconds: Double, finishes: Bool = true, passes: (LaneFrame) -> Bool = { _ in true },
    answers: (LaneFrame) -> Bool = { _ in true }
  ) {
    let end = now + .seconds(seconds)
    while now <= end {
      move(from: one, to: other, passes)
      move(from: other, to: one, answers)
      for end in [one, other] { collect(end, finishes) }
      now += 1_000_000
    }
  }

  private func move(from: End, to: End, _ passes: (LaneFrame) -> Bool) {
    // More than in a millisecond of any rate.
    for _ in 0..<64 {
      guard let frame = from.desk.next(on: connection, nowNanoseconds: now) else { return }
      from.sent.append(frame)
      if passes(frame) { to.desk.take(frame, on: connection, nowNanoseconds: now) }
    }
  }

  private func collect(_ end: End, _ finishes: Bool) {
    var new = end.desk.takeEvents()
    while !new.isEmpty {
      end.events += new
      for case .message(let message) in new where finishes {
        end.desk.finish(message, nowNanoseconds: now)
      }
      new = end.desk.takeEvents()
    }
  }

  /// Gives a frame to the second node, as a hostile first one would.
  func forge(_ frame: LaneFrame, finishes: Bool = true) {
    other.desk.take(frame, on: connection, nowNanoseconds: now)
    collect(other, finishes)
  }

  func send(
    _ count: Int, on channel: LaneChannel, sequence: UInt64, byte: UInt8 = 7
  ) throws {
    try one.desk.send(
      [UInt8](repeating: byte, count: count), on: channel, to: other.node, sequence: sequence)
  }
}
