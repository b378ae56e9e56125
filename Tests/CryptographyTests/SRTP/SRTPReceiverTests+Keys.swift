import Testing

@testable import Cryptography

/// One key after another, and who has which.
extension SRTPReceiverTests {
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
}
