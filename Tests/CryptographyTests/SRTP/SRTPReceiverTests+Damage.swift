import TestKit
import Testing

@testable import Cryptography

/// What is damaged or made up is refused, and harms nothing.
extension SRTPReceiverTests {
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
}
