import Cryptography
import Testing

@testable import NodeDaemon

/// Which questions of other nodes are answered.
@Suite struct QuestionGateTests {
  private static let second: Int64 = 1_000_000_000
  private var gate = QuestionGate()

  private static func node(_ number: Int) throws -> NodeID {
    let octets = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 1, count: 30)
    return try #require(NodeID(octets: octets))
  }

  @Test mutating func `a question that comes again is carried out once, and others' is another`()
    throws
  {
    let (one, other) = (try Self.node(1), try Self.node(2))
    #expect(gate.take(7, of: one, nowNanoseconds: 0) == .taken)
    #expect(gate.take(7, of: one, nowNanoseconds: 1) == .again)
    #expect(gate.take(6, of: one, nowNanoseconds: 2) == .taken, "numbers come in any order")
    #expect(gate.take(7, of: other, nowNanoseconds: 3) == .taken)
    #expect(gate.take(7, of: one, nowNanoseconds: 50 * Self.second) == .again)
    #expect(gate.refused == 2)
  }

  @Test mutating func `of a flood 32 are taken in a second, and of others as many`() throws {
    let (one, other) = (try Self.node(1), try Self.node(2))
    for second in 0..<3 {
      let now = Int64(second) * Self.second
      let verdicts = (0..<100).map { number in
        gate.take(UInt64(1000 * second + number), of: one, nowNanoseconds: now)
      }
      #expect(verdicts.count { $0 == .taken } == 32 && verdicts.count { $0 == .tooMany } == 68)
      #expect(gate.take(UInt64(second), of: other, nowNanoseconds: now) == .taken)
    }
    #expect(gate.refused == 3 * 68)
  }

  @Test mutating func `what is remembered is bounded, of the latest members`() throws {
    let friend = try Self.node(0)
    for number in 0..<1000 {
      let now = Int64(number) * 1_000_000
      let stranger = try Self.node(1 + number)
      #expect(gate.take(1, of: stranger, nowNanoseconds: now) == .taken)
      if number % 50 == 0 { _ = gate.take(UInt64(number), of: friend, nowNanoseconds: now) }
      #expect(gate.memberCount <= QuestionGate.memberLimit)
    }
    #expect(gate.take(950, of: friend, nowNanoseconds: Self.second) == .again)
  }
}
