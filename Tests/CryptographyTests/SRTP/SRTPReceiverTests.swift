import TestKit
import Testing

@testable import Cryptography

@Suite struct SRTPReceiverTests {
  @Test func `sound and reports come through as they were, and only encrypted`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    for number in 0..<10 {
      let packet = rtpPacket(number, payload: "frame \(number)")
      let sealed = try sender.protected(packet)
      #expect(sealed[12..<packet.count] != packet[12...])
      #expect(try receiver.opened(sealed) == packet)
      let report = rtcpPacket(UInt8(number))
      let sealedReport = try sender.protectedControl(report)
      #expect(sealedReport[8..<report.count] != report[8...])
      #expect(try receiver.openedControl(sealedReport) == report)
    }
    #expect(receiver.counters.accepted == 20)
  }

  @Test func `a packet with sources, an extension or no payload at all comes through`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let packets = [
      octets("92 6F 0001 00000000 00000001 AAAAAAAA BBBBBBBB BEDE0001 10A10000") + [1, 2, 3],
      octets("80 6F 0002 00000000 00000001"),
      octets("90 6F 0003 00000000 00000001 BEDE0000"),
    ]
    for packet in packets {
      #expect(try receiver.opened(try sender.protected(packet)) == packet)
    }
  }

  @Test func `a bit changed anywhere is found, and harms nothing`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let (packet, report) = (rtpPacket(1), rtcpPacket())
    let (sealed, sealedReport) = (
      try sender.protected(packet), try sender.protectedControl(report)
    )
    for bit in 0..<(sealed.count * 8) {
      var flipped = sealed
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: CryptoError.self, "bit \(bit)") { try receiver.opened(flipped) }
    }
    for bit in 0..<(sealedReport.count * 8) {
      var flipped = sealedReport
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: CryptoError.self, "bit \(bit)") { try receiver.openedControl(flipped) }
    }
    #expect(receiver.counters.accepted == 0)
    #expect(receiver.counters.turnedAway(.notAuthentic) > 400)
    #expect(try receiver.opened(sealed) == packet)
    #expect(try receiver.openedControl(sealedReport) == report)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `packets damaged in several places are refused`(seed: UInt64) throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    var generator = SplitMix64(seed: seed)
    let sealed = try sender.protected(rtpPacket(1, payload: String(repeating: "x", count: 60)))
    for _ in 0..<500 {
      var damaged = sealed
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        damaged[Int.random(in: damaged.indices, using: &generator)] ^=
          UInt8.random(in: 1...255, using: &generator)
      }
      if generator.chance(0.3) {
        damaged.removeLast(Int.random(in: 0..<damaged.count, using: &generator))
      }
      guard damaged != sealed else { continue }
      #expect(throws: CryptoError.self, "seed \(seed)") { try receiver.opened(damaged) }
    }
    _ = try receiver.opened(sealed)
  }

  @Test func `every beginning of a packet is refused`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let (sealed, report) = (
      try sender.protected(rtpPacket(1)), try sender.protectedControl(rtcpPacket())
    )
    for count in sealed.indices {
      #expect(throws: CryptoError.self) { try receiver.opened(Array(sealed.prefix(count))) }
    }
    for count in report.indices {
      #expect(throws: CryptoError.self) { try receiver.openedControl(Array(report.prefix(count))) }
    }
    #expect(receiver.counters.accepted == 0)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random octets are refused and do not trap`(seed: UInt64) throws {
    let receiver = try SRTPReceiver(hearing: try SRTPSender())
    var generator = SplitMix64(seed: seed)
    for _ in 0..<1500 {
      var datagram = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      // Mostly RTP by its first octet, and of a key that is there.
      if datagram.count > 4, generator.chance(0.7) {
        datagram[0] = datagram[0] & 0x3F | 0x80
        datagram[datagram.count - 4] = 0
        datagram[datagram.count - 3] &= 7
      }
      #expect(throws: CryptoError.self, "seed \(seed)") { try receiver.opened(datagram) }
      #expect(throws: CryptoError.self, "seed \(seed)") { try receiver.openedControl(datagram) }
    }
    #expect(receiver.counters.turnedAway(.notAuthentic) > 0)
  }

  @Test func `a replay is refused in every variant, and for reports`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let second = try #require(SRTPVariant(1))
    let packet = rtpPacket(5)
    let (first, other) = (
      try sender.protected(packet), try sender.protected(packet, variant: second)
    )
    #expect(try receiver.opened(first) == packet)
    #expect(throws: CryptoError.datagram(.replayed)) { try receiver.opened(first) }
    #expect(throws: CryptoError.datagram(.replayed)) { try receiver.opened(other) }
    let report = try sender.protectedControl(rtcpPacket())
    _ = try receiver.openedControl(report)
    #expect(throws: CryptoError.datagram(.replayed)) { try receiver.openedControl(report) }
    #expect(receiver.counters.turnedAway(.replayed) == 3)
  }

  @Test func `packets in any order come through once, the very old not at all`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    var sealed: [[UInt8]] = []
    for number in 0..<400 { sealed.append(try sender.protected(rtpPacket(65_300 + number))) }
    for block in stride(from: 0, to: 400, by: 100) {
      for number in (block..<(block + 100)).reversed() {
        #expect(try receiver.opened(sealed[number]) == rtpPacket(65_300 + number))
      }
    }
    for number in 0..<400 {
      let fault: DatagramFault = number < 400 - 128 ? .tooOld : .replayed
      #expect(throws: CryptoError.datagram(fault)) { try receiver.opened(sealed[number]) }
    }
  }

  @Test func `sequence numbers may wrap many times`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    for number in stride(from: 0, to: 400_000, by: 20_011) {
      let packet = rtpPacket(number)
      #expect(try receiver.opened(try sender.protected(packet)) == packet)
    }
  }

  @Test func `a listener that joins late, or was away for long, hears at once`() throws {
    let sender = try SRTPSender()
    let early = try SRTPReceiver(hearing: sender)
    _ = try early.opened(try sender.protected(rtpPacket(0)))
    for number in stride(from: 20_000, through: 2_000_000, by: 20_000) {
      _ = try sender.protected(rtpPacket(number))
    }
    let late = try SRTPReceiver(hearing: sender)
    let missed = try sender.protected(rtpPacket(2_000_001))
    let next = try sender.protected(rtpPacket(2_000_002))
    for receiver in [early, late] {
      #expect(try receiver.opened(missed) == rtpPacket(2_000_001))
      #expect(throws: CryptoError.datagram(.replayed)) { try receiver.opened(missed) }
      #expect(try receiver.opened(next) == rtpPacket(2_000_002))
      for octet in 1...2 {
        var turned = missed
        turned[missed.count - octet] ^= 1
        #expect(throws: CryptoError.self) { try receiver.opened(turned) }
      }
    }
  }

  @Test func `forged packets of many SSRCs take no place from the sender's`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let sealed = try sender.protected(rtpPacket(1))
    for ssrc in 0..<100 as Range<UInt8> where ssrc != sealed[8] {
      var forged = sealed
      forged[8] = ssrc
      #expect(throws: CryptoError.self) { try receiver.opened(forged) }
    }
    #expect(try receiver.opened(sealed) == rtpPacket(1))
    for number in 0..<SRTPSender.streamLimit - 1 {
      _ = try receiver.opened(try sender.protected(rtpPacket(1, ssrc: UInt32(number))))
    }
    let oneMore = try forgedPacket(index: 1, ssrc: 99, under: try sender.sessionKey())
    #expect(throws: CryptoError.datagram(.tooManyStreams)) { try receiver.opened(oneMore) }
  }

  @Test func `while the key rolls both are good, and nothing is lost`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let early = try sender.protected(rtpPacket(1))
    let earlyReport = try sender.protectedControl(rtcpPacket(1))
    let straggler = try sender.protected(rtpPacket(2))
    try receiver.add(try sender.prepareNextKey(1))
    #expect(try receiver.opened(early) == rtpPacket(1))
    let before = try sender.protected(rtpPacket(3))
    sender.useNextKey()
    let after = try sender.protected(rtpPacket(4))
    #expect(try receiver.opened(after) == rtpPacket(4))
    #expect(try receiver.opened(before) == rtpPacket(3))
    #expect(try receiver.openedControl(try sender.protectedControl(rtcpPacket(2))) == rtcpPacket(2))
    #expect(try receiver.openedControl(earlyReport) == rtcpPacket(1))
    for known in [early, before, after] {
      #expect(throws: CryptoError.datagram(.replayed)) { try receiver.opened(known) }
    }
    receiver.dropOlderKeys()
    #expect(throws: CryptoError.datagram(.unknownKey)) { try receiver.opened(straggler) }
    #expect(throws: CryptoError.datagram(.replayed)) { try receiver.opened(after) }
  }

  @Test func `a next key that is replaced before its use costs nothing`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    try receiver.add(try sender.prepareNextKey(1))
    try receiver.add(try sender.prepareNextKey(2))
    #expect(try receiver.opened(try sender.protected(rtpPacket(1))) == rtpPacket(1))
    sender.useNextKey()
    #expect(try receiver.opened(try sender.protected(rtpPacket(2))) == rtpPacket(2))
    sender.useNextKey()
    #expect(try receiver.opened(try sender.protected(rtpPacket(3))) == rtpPacket(3))
  }

  @Test func `a number far ahead, made by another who has the key, is of no effect on the next`()
    throws
  {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    #expect(try receiver.opened(try sender.protected(rtpPacket(1))) == rtpPacket(1))
    let straggler = try sender.protected(rtpPacket(2))
    let held = try sender.sessionKey()
    try receiver.add(try sender.prepareNextKey(1))
    sender.useNextKey()
    let after = try sender.protected(rtpPacket(3))
    for turn in 1...3 {
      _ = try receiver.opened(try forgedPacket(index: UInt64(turn) * 0x7FFF_FFFF, under: held))
    }
    #expect(throws: CryptoError.self) { try receiver.opened(straggler) }
    #expect(try receiver.opened(after) == rtpPacket(3))
    #expect(try receiver.opened(try sender.protected(rtpPacket(4))) == rtpPacket(4))
    #expect(receiver.counters.turnedAway(.tooOld) <= 1)
  }

  @Test func `a new key is heard at once after as many packets as the half counter has numbers`()
    throws
  {
    let sender = try SRTPSender()
    let early = try SRTPReceiver(hearing: sender)
    let second = try #require(SRTPVariant(1))
    let turns = 1 << 32
    for number in stride(from: 0, through: turns + 40_000, by: 32_000) {
      let sealed = try sender.protected(rtpPacket(number))
      if number % 1000 == 0 { _ = try early.opened(sealed) }
    }
    let late = SRTPReceiver()
    let next = try sender.prepareNextKey(1)
    for receiver in [early, late] { try receiver.add(next) }
    sender.useNextKey()
    for number in (turns + 40_001)...(turns + 40_010) {
      let variant = number % 2 == 0 ? SRTPVariant.first : second
      let sealed = try sender.protected(rtpPacket(number), variant: variant)
      for receiver in [early, late] { #expect(try receiver.opened(sealed) == rtpPacket(number)) }
    }
  }

  @Test func `of four keys the oldest is let go`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let first = try sender.protected(rtpPacket(1))
    for epoch in 1...3 { try receiver.add(try sender.prepareNextKey(epoch)) }
    #expect(throws: CryptoError.datagram(.unknownKey)) { try receiver.opened(first) }
  }

  @Test func `who did not get the next key hears nothing of it`() throws {
    let sender = try SRTPSender()
    let blocked = try SRTPReceiver(hearing: sender)
    _ = try blocked.opened(try sender.protected(rtpPacket(1)))
    _ = try sender.prepareNextKey(1)
    sender.useNextKey()
    let packet = try sender.protected(rtpPacket(2))
    #expect(throws: CryptoError.datagram(.unknownKey)) { try blocked.opened(packet) }
    // Nor after it renames the key that it has.
    var renamed = packet
    renamed[packet.count - 4] = 0
    #expect(throws: CryptoError.datagram(.notAuthentic)) { try blocked.opened(renamed) }
  }

  @Test func `epochs go round`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    for number in 0..<300 {
      #expect(try receiver.opened(try sender.protected(rtpPacket(number))) == rtpPacket(number))
      try receiver.add(try sender.prepareNextKey(number + 1))
      sender.useNextKey()
    }
  }

  @Test func `a result that does not fit is not begun`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let sealed = try sender.protected(rtpPacket(1))
    var room = [UInt8](repeating: 0, count: sealed.count - 1)
    #expect(throws: CryptoError.datagram(.noRoom)) {
      try changing(&room) { bytes throws(CryptoError) in
        try unsafe receiver.unprotect(sealed.span.bytes, into: &bytes)
      }
    }
    #expect(try receiver.opened(sealed) == rtpPacket(1))
  }
}
