import Media
import RTP
import TestKit
import Testing

/// One session against compounds made by hand, most of them hostile.
@Suite struct PeerReportsTests {
  private static let second: Int64 = 1_000_000_000
  private static let start = 1000 * second
  private static let local: UInt32 = 1

  private static func session() -> PeerReports {
    Conversation.reports(ssrc: local, name: "Anna", seed: 1)
  }

  private static func echo(_ lastRR: UInt32, delay: UInt32 = 0) -> ExtendedReport.Echo {
    ExtendedReport.Echo(ssrc: SSRC(rawValue: local), lastRR: lastRR, delaySinceLastRR: delay)
  }

  private static func block(
    on ssrc: UInt32 = local, lastSR: UInt32 = 0, delay: UInt32 = 0
  ) -> ReportBlock {
    ReportBlock(
      ssrc: SSRC(rawValue: ssrc), fractionLost: 12, cumulativeLost: -3, highestSequence: 1,
      jitter: 48, lastSR: lastSR, delaySinceLastSR: delay)
  }

  /// A session that source 2 has confirmed at `start`.
  private static func confirmed() throws -> PeerReports {
    let session = session()
    let sent = try #require(try referenceTime(in: session.report(at: start)))
    let events = try session.handle(compound(from: 2, echo: echo(sent)), at: start)
    try #require(events == [.firstHeard, .confirmed])
    return session
  }

  /// RFC 3550 §6.4: an SR "if a site has sent any data packets during the interval since issuing
  /// the last report or the previous one, otherwise the RR".
  @Test func `a sender report is made while media goes out and one interval longer`() throws {
    let session = Self.session()
    let packets = [0, 5, 9, 9, 9, 9, 10]
    let isSender = try packets.enumerated().map { index, count in
      let report = session.report(
        at: Self.start + Int64(index) * Self.second, packets: count, timestamp: 77)
      var info: SenderInfo?
      try RTCPCompound.forEachPacket(in: report.span) { packet in
        if case .senderReport(_, let found, _) = packet { info = found }
      }
      if let info {
        #expect(info.packetCount == UInt32(count))
        #expect(info.octetCount == UInt32(count * 80))
        #expect(info.rtpTimestamp.rawValue == 77)
      }
      return info != nil
    }
    #expect(isSender == [false, true, true, true, false, false, true])
  }

  @Test func `an echo in a report block confirms as well as one of a reference time`() throws {
    let session = Self.session()
    let sent = try #require(
      try referenceTime(in: session.report(at: Self.start, packets: 7)))
    let arrival = Self.start + Self.second + 8_000_000
    let events = try session.handle(
      compound(from: 2, block: Self.block(lastSR: sent, delay: 0x1_0000)), at: arrival)
    #expect(events == [.firstHeard, .confirmed])
    #expect(session.roundTrip?.lastNanoseconds == 8_000_000)
    #expect(session.remoteReception?.fractionLost == 12)
    #expect(session.remoteReception?.cumulativeLost == -3)
    #expect(session.remoteReception?.jitterNanoseconds == 1_000_000)
  }

  @Test func `whoever cannot see our reports is never confirmed`() throws {
    let session = Self.session()
    var random = SplitMix64(seed: 11)
    var now = Self.start
    for _ in 0..<20_000 {
      now += 1_000_000
      if session.nextReportNanoseconds <= now { _ = session.report(at: now, packets: 3) }
      let guess = UInt32(truncatingIfNeeded: random.next())
      _ = try session.handle(
        compound(from: 2, block: Self.block(lastSR: guess), echo: Self.echo(guess)), at: now)
      // What the reference time were if its origin were the clock's.
      let clock = NTPTimestamp(rawValue: 0).advanced(byNanoseconds: now - 1_000_000).middleBits
      _ = try session.handle(compound(from: 2, echo: Self.echo(clock)), at: now)
    }
    #expect(!session.isConfirmed)
    #expect(session.roundTrip == nil)
  }

  @Test func `an echo counts once ten seconds have not passed`() throws {
    for (age, isTrue) in [(9_999, true), (10_001, false)] as [(Int64, Bool)] {
      let session = Self.session()
      let sent = try #require(try referenceTime(in: session.report(at: Self.start)))
      _ = try session.handle(
        compound(from: 2, echo: Self.echo(sent)), at: Self.start + age * 1_000_000)
      #expect(session.isConfirmed == isTrue)
    }
  }

  @Test func `a delay that cannot be true gives no round trip`() throws {
    let session = Self.session()
    let sent = try #require(try referenceTime(in: session.report(at: Self.start)))
    for delay: UInt32 in [.max, 0x8000_0000, 0x1_0000] {
      _ = try session.handle(
        compound(from: 2, echo: Self.echo(sent, delay: delay)), at: Self.start + 5_000_000)
      #expect(session.roundTrip == nil)
    }
    // A clock that runs a little faster than ours is no lie.
    _ = try session.handle(
      compound(from: 2, echo: Self.echo(sent, delay: 340)), at: Self.start + 5_000_000)
    #expect(session.roundTrip?.lastNanoseconds == 0)
  }

  @Test func `blocks and echoes for others are not ours`() throws {
    let session = Self.session()
    let sent = try #require(try referenceTime(in: session.report(at: Self.start)))
    let echo = ExtendedReport.Echo(ssrc: SSRC(rawValue: 7), lastRR: sent, delaySinceLastRR: 0)
    let events = try session.handle(
      compound(from: 2, block: Self.block(on: 7, lastSR: sent), echo: echo), at: Self.start)
    #expect(events == .firstHeard)
    #expect(session.remoteReception == nil)
  }

  @Test func `our own source as sender is told and nothing of it believed`() throws {
    let session = Self.session()
    let sent = try #require(try referenceTime(in: session.report(at: Self.start)))
    let events = try session.handle(
      compound(from: Self.local, name: [0x78], echo: Self.echo(sent)), at: Self.start)
    #expect(events == .ownSSRCSeen)
    #expect(session.remoteSSRC == nil)
    #expect(session.remoteName.isEmpty)
    #expect(session.lastHeardNanoseconds == nil)
  }

  @Test func `a stranger without proof does not take a confirmed remote's place`() throws {
    let session = try Self.confirmed()
    let later = Self.start + Self.second
    #expect(try session.handle(compound(from: 3), at: later) == [])
    #expect(try session.handle(compound(from: 3, isLeaving: true), at: later) == [])
    let renamed = compound(from: 2, canonicalName: Array("other".utf8))
    #expect(try session.handle(renamed, at: later) == [])
    #expect(session.remoteSSRC?.rawValue == 2)
    #expect(session.isConfirmed)
    #expect(session.lastHeardNanoseconds == Self.start)
    #expect(session.remoteCanonicalName == "stranger")
  }

  @Test func `a newcomer with proof takes the place and all that was known is forgotten`() throws {
    let session = try Self.confirmed()
    let sent = try #require(try referenceTime(in: session.report(at: Self.start + Self.second)))
    let events = try session.handle(
      compound(from: 3, name: [0x78], echo: Self.echo(sent)), at: Self.start + 2 * Self.second)
    #expect(events == [.restarted, .confirmed, .nameChanged])
    #expect(session.remoteSSRC?.rawValue == 3)
    #expect(session.roundTrip?.lastNanoseconds == Self.second)
    #expect(session.roundTrip?.smoothedNanoseconds == Self.second)
  }

  @Test func `before it is confirmed a remote gives way to any other`() throws {
    let session = Self.session()
    #expect(try session.handle(compound(from: 2), at: Self.start) == .firstHeard)
    #expect(try session.handle(compound(from: 3), at: Self.start) == .restarted)
    #expect(session.remoteSSRC?.rawValue == 3)
  }

  @Test func `forged newcomers at most double what we send`() throws {
    for isConfirmed in [false, true] {
      let session = isConfirmed ? try Self.confirmed() : Self.session()
      var now = Self.start
      var reports = 0
      for source in 0..<20_000 as Range<UInt32> {
        now += 1_000_000
        _ = try session.handle(compound(from: 100 + source), at: now)
        if session.nextReportNanoseconds <= now {
          _ = session.report(at: now)
          reports += 1
        }
      }
      // 20 s: 27 regular ones at the shortest interval, and as many answers.
      #expect(reports <= 54)
    }
  }

  @Test func `a late farewell of nobody starts no session`() throws {
    let session = Self.session()
    #expect(try session.handle(compound(from: 2, isLeaving: true), at: Self.start) == [])
    #expect(session.remoteSSRC == nil)
  }

  @Test func `packets of another stream are not the remote's`() throws {
    let session = try Self.confirmed()
    func header(_ ssrc: UInt32) -> RTPHeader {
      RTPHeader(
        marker: false, payloadType: 111, sequenceNumber: SequenceNumber(rawValue: 1),
        timestamp: RTPTimestamp(rawValue: 0), ssrc: SSRC(rawValue: ssrc))
    }
    let later = Self.start + Self.second
    #expect(!session.receive(header(3), arrivalNanoseconds: later))
    #expect(session.lastHeardNanoseconds == Self.start)
    #expect(session.receive(header(2), arrivalNanoseconds: later))
    #expect(session.lastHeardNanoseconds == later)
  }

  @Test func `a name of garbage becomes text, and is told once`() throws {
    let session = Self.session()
    let garbage = (0..<255).map { UInt8(truncatingIfNeeded: 255 - $0 * 7) }
    let datagram = compound(from: 2, name: garbage)
    #expect(try session.handle(datagram, at: Self.start) == [.firstHeard, .nameChanged])
    #expect(try session.handle(datagram, at: Self.start) == [])
    #expect(session.remoteName == String(decoding: garbage, as: UTF8.self))
    #expect(session.remoteName.unicodeScalars.contains("\u{FFFD}"))
  }

  @Test func `long names of our own are cut between characters`() throws {
    let session = PeerReports(
      ssrc: SSRC(rawValue: 1), canonicalName: String(repeating: "ü", count: 200),
      name: String(repeating: "👩‍👩‍👧", count: 40), seed: 1)
    let other = Conversation.reports(ssrc: 2, name: "Bert", seed: 2)
    _ = try other.handle(session.report(at: Self.start), at: Self.start)
    #expect(other.remoteCanonicalName == String(repeating: "ü", count: 127))
    #expect(other.remoteName == String(repeating: "👩‍👩‍👧", count: 14))
  }

  @Test func `an invalid compound changes nothing`() throws {
    let session = Self.session()
    var datagram = compound(from: 2, name: [0x78], isLeaving: false)
    datagram.octets += [0x80, 203, 0, 9]
    #expect(throws: RTPParseError.compoundLength) {
      try session.handle(datagram, at: Self.start)
    }
    #expect(session.remoteSSRC == nil)
    #expect(session.lastHeardNanoseconds == nil)
  }

  @Test func `mutated compounds of a real session never trap`() throws {
    var random = SplitMix64(seed: 12)
    let sender = Conversation.reports(ssrc: 2, name: "Bert", seed: 2)
    let session = Self.session()
    var accepted = 0
    for round in 0..<20_000 {
      let now = Self.start + Int64(round) * 1_000_000
      var datagram =
        round % 10 == 0
        ? sender.farewell() : sender.report(at: now, packets: round / 100)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = Int.random(in: 0..<datagram.octets.count, using: &random)
        datagram.octets[index] = .random(in: 0...255, using: &random)
      }
      let report = session.report(at: now, packets: round / 50)
      _ = try sender.handle(report, at: now)
      if (try? session.handle(datagram, at: now)) != nil { accepted += 1 }
      let roundTrip = session.roundTrip?.lastNanoseconds ?? 0
      #expect((0...10 * Self.second).contains(roundTrip), "round \(round)")
    }
    #expect(accepted > 1000)
  }
}
