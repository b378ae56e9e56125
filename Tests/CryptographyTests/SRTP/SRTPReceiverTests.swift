import Testing

@testable import Cryptography

/// What is sent comes through: once, in any order, late too.
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

  @Test func `a packet with an extension or no payload at all comes through`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let packets = [
      octets("90 6F 0001 00000000 00000001 BEDE0001 10A10000") + [1, 2, 3],
      octets("80 6F 0002 00000000 00000001"),
      octets("90 6F 0003 00000000 00000001 BEDE0000"),
      octets("90 6F 0004 00000000 00000001 10000001 0101A100") + [4],
    ]
    for packet in packets {
      #expect(try receiver.opened(try sender.protected(packet)) == packet)
    }
  }

  /// RFC 9335 §5.1: "defined by profile" tells that the rest of the extension is encrypted.
  @Test(arguments: [("BEDE", "C0DE"), ("1000", "C2DE")])
  func `nothing of an extension but its form and length is sent in clear`(
    clear: String, marked: String
  ) throws {
    let elements = octets("10A1 21 8001 000000")
    let packet =
      octets("90 6F 0001 00000000 00000001 \(clear) 0002") + elements + [1, 2, 3]
    let sender = try SRTPSender()
    let sealed = try sender.protected(packet)
    #expect(Array(sealed[..<16]) == packet[..<12] + octets("\(marked) 0002"))
    #expect(Array(sealed[16..<24]) != elements)
    let receiver = try SRTPReceiver(hearing: sender)
    for place in 0..<24 {
      var changed = sealed
      changed[place] ^= place == 0 ? 0x20 : 1
      #expect(throws: CryptoError.self, "octet \(place)") { try receiver.opened(changed) }
    }
    #expect(try receiver.opened(sealed) == packet)
  }

  @Test(arguments: [
    "92 6F 0001 00000000 00000001 AAAAAAAA BBBBBBBB 010203",
    "91 6F 0001 00000000 00000001 AAAAAAAA BEDE0001 10A10000 010203",
    "90 6F 0001 00000000 00000001 12340001 10A10000 010203",
    "90 6F 0001 00000000 00000001 C0DE0001 10A10000 010203",
    "90 6F 0001 00000000 00000001 10010001 10A10000 010203",
  ])
  func `what could not be hidden as a whole is not sent`(packet: String) throws {
    #expect(throws: CryptoError.datagram(.malformed)) {
      try SRTPSender().protected(octets(packet))
    }
  }

  @Test(arguments: ["BEDE", "1000", "C1DE"])
  func `a packet whose extension is not marked as encrypted is refused, whoever made it`(
    profile: String
  ) throws {
    let secret = try SRTPSessionKey(epoch: 0)
    let receiver = SRTPReceiver()
    try receiver.add(secret)
    let packet = octets("90 6F 0001 00000000 00000001 \(profile) 0001 10A10000 010203")
    let keys = try SRTPKeySet(secret)
    var room = packet + [UInt8](repeating: 0, count: SRTPSender.overheadByteCount)
    let isSealed = changing(&room) {
      keys.rtp[0].seal(&$0, header: 16, text: packet.count - 16, ssrc: 1, index: 1)
    }
    #expect(isSealed)
    #expect(throws: CryptoError.datagram(.malformed)) { try receiver.opened(room) }
    #expect(receiver.counters.turnedAway(.malformed) == 1)
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
