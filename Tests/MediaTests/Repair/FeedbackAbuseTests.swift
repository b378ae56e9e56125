import RTP
import TestKit
import Testing

@testable import Media

/// Requests and copies from somebody who means ill: nothing traps, and little is sent for it.
@Suite struct FeedbackAbuseTests {
  private static func request(_ numbers: [UInt16], from sender: UInt32, of source: UInt32)
    -> [UInt8]
  {
    let lost = numbers.map { SequenceNumber(rawValue: $0) }
    var bytes = [UInt8](repeating: 0, count: 1200)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    var writer = RTCPCompoundWriter()
    writer.genericNACK(
      from: SSRC(rawValue: sender), of: SSRC(rawValue: source), lost: lost.span, into: &raw)
    let count = writer.byteCount
    return Array(bytes[..<count])
  }

  /// Who pretends that its way gets longer and longer is sent the least; the others hardly notice.
  @Test func `a receiver that lies of its way takes little from the rest`() {
    let usual = VoiceCoding(framesPerPacket: 480, bitsPerSecond: 64_000)
    let plan = CodingPlan(usual: usual, hasSpeechMode: true)
    let liar = RepairSession(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    let honest = RepairSession(boundBitsPerSecond: 96_000, framesPerPacket: 480)
    var lie = RoundTripTime(firstNanoseconds: 1_000_000)
    var truth = lie
    for second in 0..<60 {
      lie.add(nanoseconds: Int64(second * second) * 10_000_000)
      truth.add(nanoseconds: 1_000_000)
      for (session, roundTrip) in [(liar, lie), (honest, truth)] {
        session.observe(
          LossPattern(), roundTrip: roundTrip, riseBackNanoseconds: 0, sentBitsPerSecond: 64_000,
          sent: (100 * second, 8000 * second), nowNanoseconds: Int64(second) * 1_000_000_000)
      }
    }
    let lean = usual.leanBitsPerSecond
    let needs = [liar, honest, honest].map { $0.need(full: usual.bitsPerSecond, lean: lean) }
    #expect((needs[0].wayBitsPerSecond ?? .max) < 30_000)
    let coding = plan.coding(for: needs, current: usual)
    #expect(coding.framesPerPacket <= 960 && coding.bitsPerSecond >= 32_000, "\(coding)")
  }

  private static func scenario() -> RepairScenario {
    let scenario = RepairScenario(RepairScenario.Settings())
    scenario.run(milliseconds: 3000)
    return scenario
  }

  private static let source: UInt32 = 0x0C0_1155

  @Test func `a flood of true requests is answered within the budget`() {
    let scenario = Self.scenario()
    var random = SplitMix64(seed: 3)
    let begin = scenario.nowNanoseconds
    var asked = 0
    for _ in 0..<1000 {
      let newest = UInt16(truncatingIfNeeded: 65_500 + scenario.talker.counters.packets)
      let first = newest &- UInt16(random.next() % 60) &- 20
      scenario.injectFeedback(Self.request((0..<17).map { first &+ $0 }, from: 7, of: Self.source))
      asked += 17
      scenario.run(milliseconds: 3)
    }
    let resent = scenario.talker.counters.resentPackets
    // 30 a second, the burst, and one begun.
    let most = Int(30 * Double(scenario.nowNanoseconds - begin) * 1e-9) + 17
    #expect(resent > 50 && resent <= most, "\(resent) of \(asked)")
    #expect(scenario.budget.refused > 10_000)
    #expect(scenario.stream.statistics.lost == 0)
  }

  @Test func `the same packet is not sent twice at once`() {
    let scenario = Self.scenario()
    let newest = UInt16(truncatingIfNeeded: 65_500 + scenario.talker.counters.packets - 5)
    for _ in 0..<10 {
      scenario.injectFeedback(Self.request([newest], from: 7, of: Self.source))
    }
    #expect(scenario.talker.counters.resentPackets == 1)
  }

  @Test(arguments: [(8, source), (7, 1)] as [(UInt32, UInt32)])
  func `requests of others or for other streams are not answered`(sender: UInt32, source: UInt32) {
    let scenario = Self.scenario()
    let newest = UInt16(truncatingIfNeeded: 65_500 + scenario.talker.counters.packets - 5)
    scenario.injectFeedback(Self.request([newest], from: sender, of: source))
    #expect(scenario.talker.counters.resentPackets == 0)
  }

  @Test func `damaged feedback neither traps nor is answered beyond the budget`() {
    let scenario = Self.scenario()
    var random = SplitMix64(seed: 9)
    for _ in 0..<20_000 {
      let newest = UInt16(truncatingIfNeeded: 65_500 + scenario.talker.counters.packets)
      var bytes = Self.request(
        (0..<UInt16(random.next() % 30)).map { newest &- 40 &+ $0 }, from: 7, of: Self.source)
      for _ in 0..<(random.next() % 4) where !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.chance(0.2) { bytes.removeLast(min(bytes.count, Int(random.next() % 8))) }
      scenario.injectFeedback(bytes)
    }
    #expect(scenario.talker.counters.resentPackets <= 17)
  }

  /// A packet with any copies: at strange distances, of strange lengths, of other streams' types.
  @Test func `copies of any kind never trap nor disturb a stream`() {
    let probe = StreamProbe()
    let forge = PacketForge()
    var random = SplitMix64(seed: 77)
    for index in 0..<3000 {
      let now = Double(index) * 2.5
      let plain = forge.datagram(index)
      var datagram = Array(plain[..<12])
      datagram[1] = 112
      let copies = (0..<Int(random.next() % 4)).map { _ -> (header: UInt32, payload: [UInt8]) in
        let payload = (0..<Int(random.next() % 30)).map { _ in
          random.chance(0.2) ? 0xE8 : UInt8(truncatingIfNeeded: random.next())
        }
        let offset =
          random.chance(0.5) ? 120 * UInt32(random.next() % 8) : UInt32(random.next() % 16_384)
        let type: UInt32 = random.chance(0.8) ? 111 : 5
        return ((type | 0x80) << 24 | offset << 10 | UInt32(payload.count), payload)
      }
      for copy in copies {
        for shift in [24, 16, 8, 0] {
          datagram.append(UInt8(truncatingIfNeeded: copy.header >> UInt32(shift)))
        }
      }
      datagram.append(111)
      for copy in copies { datagram += copy.payload }
      datagram += plain[12...]
      probe.receiveRedundant(datagram, atMilliseconds: now)
      probe.play(untilMilliseconds: now)
    }
    let statistics = probe.statistics
    #expect(statistics.received == 3000)
    // The others still wait for repairs: 50 ms at most.
    #expect(statistics.played > 2975)
    #expect(statistics.lost == 0 && statistics.repaired == 0)
    #expect(statistics.copies > 1000)
  }

  @Test func `resent packets nobody misses are of no effect`() {
    let probe = StreamProbe()
    let forge = PacketForge()
    var random = SplitMix64(seed: 5)
    for index in 0..<1000 {
      let now = Double(index) * 2.5
      probe.receive(forge.datagram(index), atMilliseconds: now)
      var datagram = forge.datagram(Int(random.next() % 3000))
      let number = UInt16(truncatingIfNeeded: random.next())
      datagram.insert(contentsOf: [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)], at: 12)
      if random.chance(0.1) { datagram.removeLast(datagram.count - 12) }
      probe.receiveResent(datagram, atMilliseconds: now)
      probe.play(untilMilliseconds: now)
    }
    let statistics = probe.statistics
    #expect(statistics.played > 980 && statistics.lost == 0)
    #expect(statistics.resent == 1000)
  }
}

extension StreamProbe {
  func receiveRedundant(_ datagram: [UInt8], atMilliseconds time: Double) {
    let bytes = unsafe datagram.span.bytes
    guard let packet = try? RTPPacket(parsing: bytes),
      let redundant = try? RedundantPayload(packet.payload, in: bytes)
    else { return }
    stream.receive(
      packet, redundant: redundant, bytes: bytes, arrivalNanoseconds: Int64(time * 1e6))
  }

  func receiveResent(_ datagram: [UInt8], atMilliseconds time: Double) {
    let bytes = unsafe datagram.span.bytes
    guard let packet = try? RTPPacket(parsing: bytes) else { return }
    stream.receiveResent(packet, bytes: bytes, arrivalNanoseconds: Int64(time * 1e6))
  }
}
