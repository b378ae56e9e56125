import RTP
import TestKit
import Testing

@Suite struct LossRunsTests {
  private static let source = SSRC(rawValue: 2)

  private static func written(
    _ kind: LossRuns.Kind, begin: UInt16 = 65_530, _ good: [Bool]
  ) -> [UInt8] {
    compound { writer, bytes in
      writer.report(from: SSRC(rawValue: 1), info: nil, block: nil, into: &bytes)
      writer.lossRuns(
        kind, from: SSRC(rawValue: 1), of: source, begin: SequenceNumber(rawValue: begin),
        count: good.count, into: &bytes
      ) { good[$0] }
    }
  }

  private static func runs(_ kind: LossRuns.Kind, in bytes: [UInt8]) throws -> LossRuns? {
    guard case .extendedReport(let report) = try parseCompound(bytes).last else { return nil }
    return report.lossRuns(kind, of: source, in: bytes.raw)
  }

  private static func good(_ runs: LossRuns, in bytes: [UInt8]) -> [Bool] {
    var good: [Bool] = []
    runs.forEachRun(in: bytes.raw) { good += repeatElement($0, count: $1) }
    return good
  }

  /// RFC 3611 §4.1: block type 1; §4.1.1: a run of ones is 01 and the length in 14 bits; §4.1.2: a
  /// vector is 1 and fifteen packets; §4.1.4: a null chunk ends the list.
  @Test func `chunks stand as in the RFC's figures`() throws {
    let pattern =
      [Bool](repeating: true, count: 32) + [false, true, false]
      + [Bool](repeating: true, count: 12)
    #expect(
      Self.written(.received, begin: 0xFFF0, pattern)
        == octets(
          "80 C9 0001 00000001 80 CF 0005 00000001 01 00 0003 00000002 FFF0 001F 4020 AFFF"))
    #expect(
      Self.written(.repaired, begin: 3, [true, false])
        == octets(
          "80 C9 0001 00000001 80 CF 0005 00000001 0A 00 0003 00000002 0003 0005 C000 0000"))
  }

  @Test func `any pattern is read back`() throws {
    for seed in UInt64(1)...200 {
      var random = SplitMix64(seed: seed)
      let loss = random.unit() * random.unit()
      let good = (0..<Int.random(in: 1...2000, using: &random)).map { _ in !random.chance(loss) }
      let bytes = Self.written(.repaired, good)
      let runs = try #require(try Self.runs(.repaired, in: bytes))
      #expect(runs.begin.rawValue == 65_530 && runs.count == good.count)
      #expect(Self.good(runs, in: bytes) == good, "seed \(seed)")
      #expect(try Self.runs(.received, in: bytes) == nil)
    }
  }

  @Test func `a second of packets takes few octets`() {
    var good = [Bool](repeating: true, count: 100)
    for index in stride(from: 3, to: 100, by: 10) { good[index] = false }
    #expect(Self.written(.received, good).count - 8 < 40)
  }

  @Test func `thinned blocks and foreign streams are passed over`() throws {
    #expect(
      try Self.runs(
        .received,
        in: octets(
          "80 C9 0001 00000001 80 CF 0005 00000001 01 03 0003 00000002 FFF0 0020 4030 0000"))
        == nil)
    #expect(
      try Self.runs(
        .received,
        in: octets(
          "80 C9 0001 00000001 80 CF 0005 00000001 01 00 0003 00000009 FFF0 0020 4030 0000"))
        == nil)
  }

  @Test func `runs beyond the block's end are cut, missing ones left out`() throws {
    let long = octets(
      "80 C9 0001 00000001 80 CF 0005 00000001 01 00 0003 00000002 0000 0014 7FFF 0000")
    #expect(Self.good(try #require(try Self.runs(.received, in: long)), in: long).count == 20)
    let short = octets(
      "80 C9 0001 00000001 80 CF 0005 00000001 01 00 0003 00000002 0000 0014 0003 0000")
    let runs = try #require(try Self.runs(.received, in: short))
    #expect(Self.good(runs, in: short) == [false, false, false])
  }
}
