@testable import Cryptography

/// Lets `body` change the octets of an array.
func changing<Result, Failure: Error>(
  _ octets: inout [UInt8], _ body: (inout MutableRawSpan) throws(Failure) -> Result
) throws(Failure) -> Result {
  var span = octets.mutableSpan
  var bytes = unsafe span.mutableBytes
  return try body(&bytes)
}

/// An RTP packet of a sequence number with a payload of its own.
func rtpPacket(
  _ sequenceNumber: Int, ssrc: UInt32 = 0x1234_5678, payload: String = "speech"
) -> [UInt8] {
  let number = UInt16(truncatingIfNeeded: sequenceNumber)
  let words = [UInt32(0x806F_0000) | UInt32(number), 0x0102_0304, ssrc]
  return words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    + Array(payload.utf8)
}

/// An RTCP receiver report that is as long as it says.
func rtcpPacket(_ mark: UInt8 = 0) -> [UInt8] {
  octets("80C90007 12345678") + [UInt8](repeating: mark, count: 24)
}

/// What anybody can make who has a key: a packet of whatever number.
func forgedPacket(
  index: UInt64, ssrc: UInt32 = 0x1234_5678, under key: borrowing SRTPSessionKey
) throws(CryptoError) -> [UInt8] {
  let packet = rtpPacket(Int(index & 0xFFFF), ssrc: ssrc)
  let keys = try SRTPKeySet(key)
  var room = packet + [UInt8](repeating: 0, count: SRTPSender.overheadByteCount)
  let isSealed = changing(&room) {
    keys.rtp[0].seal(&$0, header: 12, text: packet.count - 12, ssrc: ssrc, index: index)
  }
  guard isSealed else { throw .datagram(.malformed) }
  let end = room.count - SRTPSender.masterKeyIdentifierByteCount
  let rollOver = UInt16(truncatingIfNeeded: index >> 16)
  room[end...] = [key.epoch, 0, UInt8(rollOver >> 8), UInt8(rollOver & 0xFF)]
  return room
}

extension SRTPSender {
  /// One with a new key of epoch 0.
  convenience init() throws(CryptoError) { self.init(try SRTPSendingKey(epoch: 0)) }

  func sessionKey() throws(CryptoError) -> SRTPSessionKey { try key.secret.copy() }

  /// Takes a next key of an epoch; returns what its receivers need.
  func prepareNextKey(_ epoch: Int) throws(CryptoError) -> SRTPSessionKey {
    let next = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: epoch))
    let copy = try next.secret.copy()
    setNextKey(next)
    return copy
  }

  func protected(
    _ packet: [UInt8], variant: SRTPVariant = .first
  ) throws(CryptoError) -> [UInt8] {
    var room = packet + [UInt8](repeating: 0, count: Self.overheadByteCount)
    let count = try changing(&room) { bytes throws(CryptoError) in
      try protect(&bytes, byteCount: packet.count, variant: variant)
    }
    return Array(room.prefix(count))
  }

  func protectedControl(_ packet: [UInt8]) throws(CryptoError) -> [UInt8] {
    var room = packet + [UInt8](repeating: 0, count: Self.controlOverheadByteCount)
    let count = try changing(&room) { bytes throws(CryptoError) in
      try protectControl(&bytes, byteCount: packet.count)
    }
    return Array(room.prefix(count))
  }
}

extension SRTPReceiver {
  func add(_ key: borrowing SRTPSessionKey) throws(CryptoError) { add(try SRTPReceivingKey(key)) }

  /// One that has a sender's present key.
  convenience init(hearing sender: SRTPSender) throws(CryptoError) {
    self.init()
    try add(try sender.sessionKey())
  }

  func opened(_ datagram: [UInt8]) throws(CryptoError) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: datagram.count)
    let count = try changing(&room) { bytes throws(CryptoError) in
      try unsafe unprotect(datagram.span.bytes, into: &bytes)
    }
    return Array(room.prefix(count))
  }

  func openedControl(_ datagram: [UInt8]) throws(CryptoError) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: datagram.count)
    let count = try changing(&room) { bytes throws(CryptoError) in
      try unsafe unprotectControl(datagram.span.bytes, into: &bytes)
    }
    return Array(room.prefix(count))
  }
}
