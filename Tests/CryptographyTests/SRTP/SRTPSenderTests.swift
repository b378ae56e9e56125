import TestKit
import Testing

@testable import Cryptography

@Suite struct SRTPSenderTests {
  @Test func `one frame in every variant gives packets that share no key stream`() throws {
    let sender = try SRTPSender()
    let receiver = try SRTPReceiver(hearing: sender)
    let zeros = String(repeating: "\0", count: 64)
    var payloads: Set<[UInt8]> = []
    for index in 0..<SRTPVariant.limit {
      let variant = try #require(SRTPVariant(index))
      let packet = rtpPacket(101 + index, payload: zeros)
      var same = rtpPacket(100, payload: zeros)
      let sealed = try sender.protected(same, variant: variant)
      #expect(Array(sealed.prefix(12)) == Array(same.prefix(12)))
      // Over zeros the cipher text is the key stream itself.
      payloads.insert(Array(sealed[12..<(12 + 64)]))
      same = try sender.protected(packet, variant: variant)
      #expect(try receiver.opened(same) == packet)
    }
    #expect(payloads.count == SRTPVariant.limit)
    #expect(SRTPVariant(SRTPVariant.limit) == nil && SRTPVariant(-1) == nil)
  }

  @Test(arguments: [0, 1, 100, 40_000, 65_535])
  func `no number is ever sealed twice under a variant`(back: Int) throws {
    let sender = try SRTPSender()
    for number in 0..<200 { _ = try sender.protected(rtpPacket(65_400 + number)) }
    let last = 65_400 + 199
    // One turn back or forward is the same number on the wire.
    let number = last - back
    if back < 32_768 {
      #expect(throws: CryptoError.datagram(.indexReused)) {
        try sender.protected(rtpPacket(number, payload: "another"))
      }
    } else {
      _ = try sender.protected(rtpPacket(number, payload: "another"))
    }
    #expect(throws: CryptoError.datagram(.indexReused)) { try sender.protected(rtpPacket(number)) }
    let second = try #require(SRTPVariant(1))
    if back < 32_768 { _ = try sender.protected(rtpPacket(number), variant: second) }
  }

  /// Over a payload of zeros the cipher text is the key stream: the same nonce under the same key would show it twice.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `however a sender is misused, no key stream comes twice`(seed: UInt64) throws {
    let sender = try SRTPSender()
    var generator = SplitMix64(seed: seed)
    var (streams, sealed, refused) = (Set<[UInt8]>(), 0, 0)
    var number = 65_000
    for _ in 0..<4000 {
      number += Int.random(in: -3...4, using: &generator)
      if generator.chance(0.01) { number += Int.random(in: -70_000...70_000, using: &generator) }
      if generator.chance(0.02) { _ = try sender.prepareNextKey(sealed & 0xFF) }
      if generator.chance(0.02) { sender.useNextKey() }
      let variant = try #require(SRTPVariant(Int.random(in: 0..<8, using: &generator)))
      let ssrc = UInt32.random(in: 1...2, using: &generator)
      let packet = rtpPacket(number, ssrc: ssrc, payload: String(repeating: "\0", count: 16))
      guard let result = try? sender.protected(packet, variant: variant) else {
        refused += 1
        continue
      }
      sealed += 1
      streams.insert(Array(result[12..<28]))
    }
    #expect(streams.count == sealed, "seed \(seed)")
    #expect(sealed > 100 && refused > 100, "seed \(seed)")
  }

  @Test func `each SSRC has numbers of its own, and there is a limit to them`() throws {
    let sender = try SRTPSender()
    for ssrc in 0..<UInt32(SRTPSender.streamLimit) {
      _ = try sender.protected(rtpPacket(7, ssrc: ssrc))
    }
    #expect(throws: CryptoError.datagram(.tooManyStreams)) {
      try sender.protected(rtpPacket(7, ssrc: 1000))
    }
  }

  @Test func `what is no RTP, or has no room behind it, is not sealed`() throws {
    let sender = try SRTPSender()
    var noVersion = rtpPacket(1)
    noVersion[0] = 0x40
    #expect(throws: CryptoError.datagram(.malformed)) { try sender.protected(noVersion) }
    #expect(throws: CryptoError.datagram(.malformed)) { try sender.protectedControl(noVersion) }
    for count in 0..<12 {
      let short = Array(rtpPacket(1).prefix(count))
      #expect(throws: CryptoError.datagram(.tooShort)) { try sender.protected(short) }
    }
    var packet = rtpPacket(1)
    let count = packet.count
    #expect(throws: CryptoError.datagram(.noRoom)) {
      try changing(&packet) { bytes throws(CryptoError) in
        try sender.protect(&bytes, byteCount: count, variant: .first)
      }
    }
    #expect(throws: CryptoError.datagram(.noRoom)) {
      try changing(&packet) { bytes throws(CryptoError) in
        try sender.protectControl(&bytes, byteCount: count)
      }
    }
    #expect(try sender.protected(rtpPacket(1)).count == count + SRTPSender.overheadByteCount)
  }

  @Test func `two senders never have the same key`() throws {
    let (one, other) = (try SRTPSender(), try SRTPSender())
    let receiver = try SRTPReceiver(hearing: other)
    let packet = try one.protected(rtpPacket(1))
    #expect(throws: CryptoError.datagram(.notAuthentic)) { try receiver.opened(packet) }
  }
}
