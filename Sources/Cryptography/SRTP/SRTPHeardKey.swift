/// One of a sender's keys with its replay windows: each key has its own.
struct SRTPHeardKey {
  private struct Stream {
    /// nil: nobody's yet, as all that follow.
    var ssrc: UInt32?
    var window = ReplayWindow()
  }

  let epoch: UInt8
  private let ciphers: SRTPKeySet
  /// The control packets that came.
  private var control = ReplayWindow()
  /// The RTP packets that came, by SSRC: as many as a sender has (`SRTPSender.streamLimit`).
  private var streams = InlineArray<2, Stream>(repeating: Stream())

  init(_ ciphers: SRTPKeySet) {
    epoch = ciphers.epoch
    self.ciphers = ciphers
    precondition(streams.count == SRTPSender.streamLimit)
  }

  /// Checks and decrypts an RTP packet that is of this key by its own account.
  mutating func open(
    _ datagram: RawSpan, _ fields: RTPFields, _ identifier: SRTPKeyIdentifier,
    into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    guard let variant = identifier.variant else { throw .datagram(.unknownKey) }
    let place = streams.indices.first {
      streams[$0].ssrc == nil || streams[$0].ssrc == fields.ssrc
    }
    guard let place else { throw .datagram(.tooManyStreams) }
    let low = UInt32(identifier.rollOver) << 16 | UInt32(fields.sequenceNumber)
    let estimate = PacketIndex.estimate(low, highest: streams[place].window.highest)
    guard let index = estimate else { throw .datagram(.tooOld) }
    try streams[place].window.check(index)
    guard datagram.byteCount <= plain.byteCount else { throw .datagram(.noRoom) }
    plain.copy(datagram, to: 0)
    let byteCount = datagram.byteCount - SRTPSender.overheadByteCount
    let isAuthentic = ciphers.rtp[variant.index].open(
      &plain, header: fields.byteCount, text: byteCount - fields.byteCount, ssrc: fields.ssrc,
      index: index)
    guard isAuthentic else { throw .datagram(.notAuthentic) }
    try fields.mark(&plain, .clear)
    streams[place].ssrc = fields.ssrc
    streams[place].window.accept(index)
    return byteCount
  }

  /// The same for a compound of RTCP packets that is long enough.
  mutating func openControl(
    _ datagram: RawSpan, _ identifier: SRTPKeyIdentifier, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    guard identifier.variant == .first, identifier.rollOver == 0 else {
      throw .datagram(.unknownKey)
    }
    let byteCount = datagram.byteCount - SRTPSender.controlOverheadByteCount
    let word = datagram.uint32(at: byteCount + SRTPCipher.tagByteCount)
    // Packets that are not encrypted (E flag 0) are none of ours.
    guard word & SRTPSender.encryptedFlag != 0 else { throw .datagram(.malformed) }
    let index = UInt64(word & ~SRTPSender.encryptedFlag)
    try control.check(index)
    guard datagram.byteCount <= plain.byteCount else { throw .datagram(.noRoom) }
    plain.copy(datagram, to: 0)
    let header = SRTPSender.controlHeaderByteCount
    let isAuthentic = ciphers.rtcp.open(
      &plain, header: header, trailer: word, text: byteCount - header,
      ssrc: datagram.uint32(at: 4), index: index)
    guard isAuthentic else { throw .datagram(.notAuthentic) }
    control.accept(index)
    return byteCount
  }
}

extension ReplayWindow {
  fileprivate func check(_ index: UInt64) throws(CryptoError) {
    switch verdict(on: index) {
    case .new: return
    case .replayed: throw .datagram(.replayed)
    case .tooOld: throw .datagram(.tooOld)
    }
  }
}
