import RTP
import TestKit
import Testing

@testable import Media

/// Sessions whose ends have several streams each.
@Suite struct PeerReportsStreamsTests {
  private static let second: Int64 = 1_000_000_000
  private static let start = 1000 * second

  /// Two sessions that know each other's streams: bases 100 and 200, others beside them.
  private static func pair(_ count: Int) throws -> (anna: PeerReports, bert: PeerReports) {
    let anna = Conversation.reports(ssrc: 100, name: "Anna", seed: 1)
    let bert = Conversation.reports(ssrc: 200, name: "Bert", seed: 2)
    for number in 1..<UInt32(count) {
      for (own, other, base) in [(anna, bert, 100 as UInt32), (bert, anna, 200)] {
        let ssrc = SSRC(rawValue: base + number)
        #expect(own.open(ssrc) && other.expect(ssrc))
      }
    }
    _ = try bert.handle(anna.report(at: start), at: start)
    _ = try anna.handle(bert.report(at: start), at: start)
    return (anna, bert)
  }

  private static func counters(_ ssrc: SSRC) -> SenderCounters {
    SenderCounters(
      packets: Int(ssrc.rawValue), payloadOctets: 80 * Int(ssrc.rawValue),
      currentTimestamp: RTPTimestamp(rawValue: 480))
  }

  private static func report(
    _ reports: PeerReports, at nanoseconds: Int64, losses: (SSRC) -> LossReport? = { _ in nil }
  ) -> ReportOctets {
    ReportOctets { bytes in
      reports.makeReport(
        nowNanoseconds: nanoseconds, into: &bytes, sender: counters, losses: losses)
    }
  }

  /// Packets of a stream, of which each `lost`-th is missing.
  private static func feed(_ reports: PeerReports, _ ssrc: UInt32, lost: Int, at now: Int64) {
    for number in 0..<UInt16(100) where lost == 0 || Int(number) % lost != lost - 1 {
      let header = RTPHeader(
        marker: false, payloadType: 111, sequenceNumber: SequenceNumber(rawValue: number),
        timestamp: RTPTimestamp(rawValue: 480 * UInt32(number)), ssrc: SSRC(rawValue: ssrc))
      #expect(reports.receive(header, arrivalNanoseconds: now + Int64(number) * 10_000_000))
    }
  }

  @Test(arguments: 1...8)
  func `each end reports on all streams of the other, and of its own, in one datagram`(
    count: Int
  ) throws {
    let (anna, bert) = try Self.pair(count)
    for number in 0..<UInt32(count) {
      Self.feed(bert, 100 + number, lost: 10 + Int(number), at: Self.start)
    }
    let now = Self.start + 2 * Self.second
    let events = try bert.handle(Self.report(anna, at: now), at: now)
    #expect(events.isSubset(of: [.confirmed]))
    let answer = Self.report(bert, at: now + 1)
    #expect((1...1200).contains(answer.octets.count))
    var (senders, blocks, names) = (Set<UInt32>(), Set<UInt32>(), 0)
    try RTCPCompound.forEachPacket(in: answer.span) { packet in
      switch packet {
      case .senderReport(let ssrc, let info, let list):
        senders.insert(ssrc.rawValue)
        #expect(info.packetCount == ssrc.rawValue)
        for index in 0..<list.count {
          guard let block = list.block(at: index, in: answer.span) else { continue }
          #expect(ssrc.rawValue == 200 && block.lastSR != 0)
          blocks.insert(block.ssrc.rawValue)
        }
      case .sourceDescription(let description):
        for number in 0..<UInt32(count) {
          let chunk = description.chunk(on: SSRC(rawValue: 200 + number), in: answer.span)
          if chunk?.canonicalName != nil { names += 1 }
        }
      default: break
      }
    }
    #expect(senders == Set((0..<UInt32(count)).map { 200 + $0 }))
    #expect(blocks == Set((0..<UInt32(count)).map { 100 + $0 }) && names == count)
    _ = try anna.handle(answer, at: now + 2)
    for number in 0..<count {
      let ssrc = SSRC(rawValue: UInt32(100 + number))
      let told = try #require(anna.remoteReception(of: ssrc))
      #expect(told.cumulativeLost == bert.reception(of: ssrc)?.cumulativeLost)
      #expect(told.cumulativeLost > 0)
    }
    #expect(anna.remoteReception == anna.remoteReception(of: SSRC(rawValue: 100)))
  }

  /// The names as long as they go, all streams, and losses that fill the rest: within 1200 octets less protection.
  @Test func `the longest report of eight streams fits, and losses that find no room come next`()
    throws
  {
    let long = String(repeating: "n", count: 255)
    let reports = PeerReports(
      ssrc: SSRC(rawValue: 1), canonicalName: long, name: long, seed: 1)
    let other = Conversation.reports(ssrc: 200, name: "Bert", seed: 2)
    for number in 1..<UInt32(8) {
      #expect(reports.open(SSRC(rawValue: 1 + number)))
      #expect(reports.expect(SSRC(rawValue: 200 + number)))
    }
    _ = try reports.handle(other.report(at: Self.start), at: Self.start)
    for number in 0..<UInt32(8) { Self.feed(reports, 200 + number, lost: 3, at: Self.start) }
    var told: Set<UInt32> = []
    for turn in 1...24 {
      let now = Self.start + Int64(turn) * Self.second
      var asked: [UInt32] = []
      let report = ReportOctets(capacity: 1172) { bytes in
        reports.makeReport(nowNanoseconds: now, into: &bytes) { ssrc in
          SenderCounters(
            packets: turn, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: ssrc.rawValue)
          )
        } losses: { ssrc in
          asked.append(ssrc.rawValue)
          return LossReport(alternating: 400)
        }
      }
      #expect(report.octets.count > 0 && asked.count < 8)
      var (blocks, found) = (0, 0)
      try RTCPCompound.forEachPacket(in: report.span) { packet in
        switch packet {
        case .senderReport(_, _, let list): blocks += list.count
        case .extendedReport(let extended):
          for number in 0..<UInt32(8) {
            let ssrc = SSRC(rawValue: 200 + number)
            guard extended.lossRuns(.repaired, of: ssrc, in: report.span) != nil else { continue }
            told.insert(ssrc.rawValue)
            found += 1
          }
        default: break
        }
      }
      #expect(blocks == 8 && found == asked.count - 1, "the last one found no room")
    }
    #expect(told.count == 8, "each stream had its turn: \(told)")
  }

  @Test func `losses of each stream are told for itself`() throws {
    let (anna, bert) = try Self.pair(3)
    for number in 0..<UInt32(3) { Self.feed(bert, 100 + number, lost: 0, at: Self.start) }
    let report = Self.report(bert, at: Self.start + Self.second) { ssrc in
      LossReport(alternating: 10 * Int(ssrc.rawValue - 99))
    }
    let events = try anna.handle(report, at: Self.start + Self.second)
    #expect(events.contains(.lossesTold))
    for number in 0..<UInt32(3) {
      let pattern = try #require(anna.remotePattern(of: SSRC(rawValue: 100 + number)))
      #expect(pattern.total == 10 * Int(number + 1))
      #expect(pattern.summary(packets: 100).lost == 5 * Int(number + 1))
    }
    #expect(anna.remotePattern.total == 60, "of all together")
    #expect(anna.remotePattern.summary(packets: 100).lost == 30)
  }

  @Test func `a stream that comes, goes or takes another's place is no other remote`() throws {
    let (anna, bert) = try Self.pair(2)
    var now = Self.start
    for turn in 0..<20 {
      now += Self.second
      let (old, new) = (SSRC(rawValue: 201 + UInt32(turn)), SSRC(rawValue: 202 + UInt32(turn)))
      bert.close(old)
      #expect(bert.open(new))
      anna.forget(old)
      #expect(anna.expect(new))
      let events = try anna.handle(Self.report(bert, at: now), at: now)
      #expect(!events.contains(.restarted) && !events.contains(.firstHeard))
      #expect(anna.remoteSSRC?.rawValue == 200)
      Self.feed(anna, new.rawValue, lost: 4, at: now)
      let header = RTPHeader(
        marker: false, payloadType: 111, sequenceNumber: SequenceNumber(rawValue: 1),
        timestamp: RTPTimestamp(rawValue: 0), ssrc: old)
      #expect(!anna.receive(header, arrivalNanoseconds: now), "it is over")
    }
  }

  @Test func `there are so many streams of each end at most, each once`() {
    let reports = Conversation.reports(ssrc: 100, name: "Anna", seed: 1)
    for number in 1..<UInt32(ReportedStreams.limit) {
      #expect(reports.open(SSRC(rawValue: 100 + number)))
      #expect(!reports.open(SSRC(rawValue: 100 + number)))
      #expect(reports.expect(SSRC(rawValue: 200 + number)))
      #expect(!reports.expect(SSRC(rawValue: 200 + number)))
    }
    #expect(!reports.open(SSRC(rawValue: 150)) && !reports.expect(SSRC(rawValue: 250)))
    #expect(!reports.open(SSRC(rawValue: 100)))
    reports.close(SSRC(rawValue: 100))
    #expect(reports.ssrc.rawValue == 100, "the base stream stays")
    reports.close(SSRC(rawValue: 103))
    reports.forget(SSRC(rawValue: 203))
    #expect(reports.open(SSRC(rawValue: 150)) && reports.expect(SSRC(rawValue: 250)))
  }

  @Test func `of many streams some have their turn, each within four reports`() throws {
    let anna = Conversation.reports(ssrc: 100, name: "Anna", seed: 1)
    let bert = Conversation.reports(ssrc: 200, name: "Bert", seed: 2)
    let count = UInt32(ReportedStreams.limit)
    for number in 1..<count {
      #expect(anna.open(SSRC(rawValue: 100 + number)) && bert.open(SSRC(rawValue: 200 + number)))
      #expect(anna.expect(SSRC(rawValue: 200 + number)))
      #expect(bert.expect(SSRC(rawValue: 100 + number)))
    }
    _ = try bert.handle(anna.report(at: Self.start), at: Self.start)
    for number in 0..<count { Self.feed(bert, 100 + number, lost: 3, at: Self.start) }
    _ = try anna.handle(bert.report(at: Self.start), at: Self.start)
    var senders: Set<UInt32> = []
    var blocks: [UInt32: Int] = [:]
    for turn in 1...4 {
      let now = Self.start + Int64(turn) * Self.second
      let report = ReportOctets(capacity: 1172) { bytes in
        bert.makeReport(nowNanoseconds: now, into: &bytes) { ssrc in
          SenderCounters(
            packets: turn, payloadOctets: 0, currentTimestamp: RTPTimestamp(rawValue: ssrc.rawValue)
          )
        } losses: { _ in
          nil
        }
      }
      try RTCPCompound.forEachPacket(in: report.span) { packet in
        guard case .senderReport(let ssrc, _, let list) = packet else { return }
        senders.insert(ssrc.rawValue)
        for number in 0..<count
        where list.block(on: SSRC(rawValue: 100 + number), in: report.span) != nil {
          blocks[100 + number, default: 0] += 1
        }
      }
      _ = try anna.handle(report, at: now)
    }
    #expect(senders == Set((0..<count).map { 200 + $0 }))
    #expect(blocks.count == Int(count) && blocks.values.allSatisfy { $0 >= 1 })
    #expect(blocks[100] == 4, "the base stream's is in each")
    for number in 0..<count {
      #expect(anna.remoteReception(of: SSRC(rawValue: 100 + number)) != nil)
    }
  }

  @Test func `packets are asked for by stream, and only those of open ones are sent again`() throws
  {
    let (anna, bert) = try Self.pair(3)
    func asked(of ssrc: UInt32) throws -> [UInt32: [UInt16]] {
      let missed = [3, 5, 40].map { SequenceNumber(rawValue: $0) }
      let request = ReportOctets { bytes in
        bert.makeRequest(for: missed.span, of: SSRC(rawValue: ssrc), into: &bytes)
      }
      var result: [UInt32: [UInt16]] = [:]
      try anna.handleFeedback(request.span, limit: 64) { source, number in
        result[source.rawValue, default: []].append(number.rawValue)
      }
      return result
    }
    #expect(try asked(of: 100) == [100: [3, 5, 40]])
    #expect(try asked(of: 102) == [102: [3, 5, 40]])
    anna.close(SSRC(rawValue: 102))
    #expect(try asked(of: 102).isEmpty)
  }

  @Test func `sender reports of strangers' streams, and of too many, mean nothing`() throws {
    let (anna, _) = try Self.pair(2)
    let now = Self.start + Self.second
    let datagram = ReportOctets { bytes in
      var writer = RTCPCompoundWriter()
      writer.report(from: SSRC(rawValue: 200), info: nil, into: &bytes)
      let info = SenderInfo(
        ntp: NTPTimestamp(rawValue: 1 << 40), rtpTimestamp: RTPTimestamp(rawValue: 0),
        packetCount: 1, octetCount: 1)
      for number in 0..<UInt32(30) {
        writer.report(from: SSRC(rawValue: 900 + number), info: info, into: &bytes)
      }
      return writer.byteCount
    }
    #expect(try anna.handle(datagram, at: now) == [])
    var blocks = 0
    try RTCPCompound.forEachPacket(in: Self.report(anna, at: now).span) { packet in
      if case .senderReport(_, _, let list) = packet { blocks += list.count }
    }
    #expect(blocks == 0)
  }

  @Test func `mutated reports of eight streams never trap`() throws {
    let (anna, bert) = try Self.pair(8)
    var random = SplitMix64(seed: 13)
    var accepted = 0
    for round in 0..<10_000 {
      let now = Self.start + Int64(round) * 1_000_000
      var datagram = Self.report(bert, at: now) { _ in LossReport(alternating: 5) }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = Int.random(in: 0..<datagram.octets.count, using: &random)
        datagram.octets[index] = .random(in: 0...255, using: &random)
      }
      if (try? anna.handle(datagram, at: now)) != nil { accepted += 1 }
    }
    #expect(accepted > 1000)
  }
}

extension LossReport {
  /// One of packets of which each second was lost.
  init(alternating count: Int) {
    self.init(begin: SequenceNumber(rawValue: 0))
    for index in 0..<count { append(came: index % 2 == 0, heard: index % 2 == 0) }
  }
}
