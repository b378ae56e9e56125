import Cryptography
import TestKit
import Testing

@testable import Captions

/// What a node that lies, or is broken, can send about hosted sessions.
@Suite struct HostedBadInputTests {
  private let reader, host, liar: CaptionSigner

  init() throws {
    (reader, host, liar) = (
      try SessionTestKey(1).signer, try SessionTestKey(2).signer, try SessionTestKey(3).signer
    )
  }

  private func sessions() -> HostedSessions {
    var sessions = HostedSessions(instance: 1, signer: reader)
    sessions.follow(ownGroups: ["crew"], only: "crew")
    for node in [host.node, liar.node] { sessions.join(node, nowNanoseconds: 0) }
    return sessions
  }

  private func bill(
    _ number: UInt64, by signer: CaptionSigner, of session: CaptionSessionKey? = nil,
    name: String = "Show", generation: UInt32 = 1
  ) throws -> SessionBill {
    let key = CaptionSessionKey(captioner: signer.node, number: number)
    return try #require(
      SessionBill(
        number, of: session ?? key, generation: generation,
        SessionTitle(name: name, line: "all", isSolo: false), host: "desk", ending: .open,
        by: signer))
  }

  private func notice(_ bill: SessionBill, isHosting: Bool = true) -> [UInt8] {
    HostedFrame.notice(
      SessionNotice(
        bill: bill, isFollowed: false, isHosting: isHosting, batteryPercent: nil,
        elapsedMilliseconds: 1000, count: 1, digest: 1)
    ).octets
  }

  private func take(
    _ octets: [UInt8], from signer: CaptionSigner, by sessions: inout HostedSessions
  ) {
    sessions.take(octets, from: signer.node, nowNanoseconds: 5_000_000_000) { _ in nil }
  }

  private func chunk(_ text: String, index: UInt32 = 0) -> CaptionChunk {
    CaptionChunk(
      index: index, CaptionTalker(node: host.node, name: "host"), startMilliseconds: 0,
      CaptionWords(text, durationMilliseconds: 1, isFinal: true))
  }

  @Test func `nobody puts words into somebody else's session, nor changes or makes one`() throws {
    var sessions = sessions()
    let bill = try bill(7, by: host)
    take(notice(bill), from: host, by: &sessions)
    try sessions.join(session: bill.session, nowNanoseconds: 0)
    let forged = try #require(SignedChunk(chunk("forged"), of: bill.part, by: liar))
    take(HostedFrame.chunks(bill.part, [forged]).octets, from: liar, by: &sessions)
    #expect(sessions.faults == [.forged: 1])
    #expect(sessions.transcript(of: bill.session)?.chunks.isEmpty == true)
    // What the host signed of another of its parts.
    let other = CaptionSessionKey(captioner: host.node, number: 8)
    let moved = try #require(SignedChunk(chunk("moved"), of: other, by: host))
    take(HostedFrame.chunks(bill.part, [moved]).octets, from: liar, by: &sessions)
    #expect(sessions.faults == [.forged: 2])
    // A bill that was changed anywhere.
    var octets = notice(try self.bill(9, by: host))
    for index in [40, 60, 90, 110, 150, 160] {
      octets[index] ^= 1
      take(octets, from: liar, by: &sessions)
      octets[index] ^= 1
    }
    #expect(sessions.views.count == 1)
    // Passed on as it is, it is good from anybody.
    let true_ = try #require(SignedChunk(chunk("true"), of: bill.part, by: host))
    take(HostedFrame.chunks(bill.part, [true_]).octets, from: liar, by: &sessions)
    #expect(sessions.transcript(of: bill.session)?.chunks.values.map(\.text) == ["true"])
  }

  @Test func `nobody takes a session from a host that is here`() throws {
    var sessions = sessions()
    let first = try bill(7, by: host)
    take(notice(first), from: host, by: &sessions)
    let second = try bill(9, by: liar, of: first.session, generation: 2)
    take(notice(second), from: liar, by: &sessions)
    #expect(sessions.view(first.session)?.hostNode == host.node)
    // A first part that is not the founder's is none.
    let key = CaptionSessionKey(captioner: liar.node, number: 1)
    let false_ = try #require(
      SessionBill(
        1, of: first.session, generation: 1,
        SessionTitle(name: "Show", line: "all", isSolo: false), host: "x", ending: .over, by: liar))
    take(notice(false_), from: liar, by: &sessions)
    #expect(sessions.faults == [.malformed: 1] && sessions.session(ofPart: key) == nil)
  }

  @Test func `sessions of one name are two sessions`() throws {
    var sessions = sessions()
    for signer in [host, liar] {
      take(notice(try bill(7, by: signer)), from: signer, by: &sessions)
    }
    #expect(sessions.views.map(\.name) == ["Show", "Show"])
    #expect(Set(sessions.views.map(\.session)).count == 2)
  }

  @Test func `a thousand sessions of one member are eight, and of all are 128`() throws {
    var sessions = sessions()
    for number in 1...1000 {
      take(notice(try bill(UInt64(number), by: liar)), from: liar, by: &sessions)
    }
    #expect(sessions.views.count == CaptionLimits.partsPerHost)
    let joined = try bill(7, by: host)
    take(notice(joined), from: host, by: &sessions)
    try sessions.join(session: joined.session, nowNanoseconds: 0)
    for number in 10...400 {
      let signer = try SessionTestKey(UInt64(number)).signer
      sessions.join(signer.node, nowNanoseconds: 0)
      take(notice(try bill(1, by: signer)), from: signer, by: &sessions)
    }
    #expect(sessions.views.count == CaptionLimits.parts)
    #expect(sessions.view(joined.session)?.isJoined == true, "what is read does not make room")
  }

  @Test func `names that nobody can read are refused, others are shown as they are`() {
    for name in [
      "", " ", "\u{202E}", "\u{0}", "a\nb", "\u{200B}", String(repeating: "a", count: 64),
    ] {
      var sessions = sessions()
      #expect(throws: HostedError.badName) {
        try sessions.begin(
          SessionTitle(name: name, line: "all", isSolo: false), host: "A", nowNanoseconds: 0)
      }
    }
    for name in ["Show", "חזרה", "👩‍🎤 Probe", "Bühne 1"] {
      var sessions = sessions()
      #expect(throws: Never.self) {
        try sessions.begin(
          SessionTitle(name: name, line: "all", isSolo: false), host: "A", nowNanoseconds: 0)
      }
    }
  }

  @Test func `frames that are cut, longer, or changed anywhere are refused or read, never a trap`()
    throws
  {
    var random = SplitMix64(seed: 7)
    let bill = try bill(7, by: host)
    let signed = try #require(SignedChunk(chunk("text"), of: bill.part, by: host))
    var roll = SessionRoll(run: 3)
    roll.seats = [SessionRoll.Seat(session: bill.session, readMilliseconds: 9)]
    let frames = [
      notice(bill), HostedFrame.want(bill.part, holding: [0..<2, 5..<6]).octets,
      HostedFrame.chunks(bill.part, [signed]).octets, HostedFrame.roll(roll).octets,
    ]
    for frame in frames {
      #expect(try HostedFrame(parsing: frame).octets == frame)
      for count in 0..<frame.count {
        #expect(throws: CaptionFault.self) { try HostedFrame(parsing: Array(frame.prefix(count))) }
      }
      #expect(throws: CaptionFault.self) { try HostedFrame(parsing: frame + [0]) }
      var sessions = sessions()
      take(notice(bill), from: host, by: &sessions)
      for _ in 0..<Seeds.rounds(5000) {
        var changed = frame
        changed[Int.random(in: 0..<frame.count, using: &random)] = UInt8(
          truncatingIfNeeded: random.next())
        take(changed, from: liar, by: &sessions)
      }
      #expect(sessions.views.count <= 2)
    }
  }

  @Test func `text without end fills its session, and nothing else`() throws {
    var sessions = sessions()
    let bill = try bill(7, by: host)
    take(notice(bill), from: host, by: &sessions)
    try sessions.join(session: bill.session, nowNanoseconds: 0)
    let text = String(repeating: "w", count: CaptionLimits.textBytes)
    for index in 0..<UInt32(5000) {
      let signed = try #require(SignedChunk(chunk(text, index: index), of: bill.part, by: host))
      take(HostedFrame.chunks(bill.part, [signed]).octets, from: host, by: &sessions)
    }
    let part = try #require(sessions.transcript(ofPart: bill.part))
    #expect(part.byteCount <= CaptionLimits.sessionBytes)
    #expect(sessions.faults[.full] ?? 0 > 0)
  }
}
