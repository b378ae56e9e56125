/// Lets in what one sender protected (``SRTPSender``), and nothing else.
///
/// Whoever holds a sender's key could have made a packet, so among the members of a group it is no proof of who talks: keys are
/// symmetric. Against all others it proves that the packet is the sender's, unchanged, and here for the first time.
///
/// One for each sender and each session of it, that is each start: a sender begins its epochs and numbers anew.
///
/// Keys: the newest, and the two before it until ``dropOlderKeys()`` (two, because a sender may prepare a key in place of one
/// that it never used). Numbers that came are remembered for each key and SSRC
/// over all variants, so a packet in another form, made for another listener, is no news either. A stream's state
/// changes only by an authentic packet, and is bounded; any octets may come, none trap.
///
/// Whoever holds a key can also send a number of it that is so far ahead that the sender's own are too old. With the sender's next key
/// that is over: its numbers are judged by what came under it. Within a key a bound to such a jump would not help, as
/// many small ones lead as far, and would shut out a listener that was not sent to for long.
///
/// Loop thread only; only the initialiser allocates.
public final class SRTPReceiver {
  private static let keyLimit = 3

  /// The newest first.
  private var keySets: [SRTPKeySet] = []

  /// What came so far.
  public private(set) var counters = SRTPCounters()

  /// A receiver that knows no key yet.
  public init() {
    keySets.reserveCapacity(Self.keyLimit + 1)
  }

  /// The SSRC that an RTP packet says it is of, in clear; nil for what is too short.
  ///
  /// Not to be believed before the packet proved authentic.
  public static func claimedSSRC(ofMedia datagram: RawSpan) -> UInt32? {
    datagram.byteCount >= RTPFields.minimumByteCount ? datagram.uint32(at: 8) : nil
  }

  /// The SSRC that a compound of RTCP packets says it is of; under the same terms.
  public static func claimedSSRC(ofControl datagram: RawSpan) -> UInt32? {
    datagram.byteCount >= SRTPSender.controlHeaderByteCount ? datagram.uint32(at: 4) : nil
  }

  /// Takes a sender's next key; packets of the two before are still let in.
  ///
  /// One that is there already changes nothing.
  public func add(_ key: consuming SRTPReceivingKey) {
    let keys = key.keys
    guard !keySets.contains(where: { $0.epoch == keys.epoch }) else { return }
    keySets.insert(keys, at: 0)
    if keySets.count > Self.keyLimit { keySets.removeLast() }
  }

  /// Lets in no more packets but of the newest key.
  public func dropOlderKeys() {
    if keySets.count > 1 { keySets.removeLast(keySets.count - 1) }
  }

  /// Checks and decrypts an RTP packet.
  ///
  /// - Parameters:
  ///   - datagram: as it came.
  ///   - plain: gets the RTP packet; as long as the datagram, or longer.
  /// - Returns: the RTP packet's length.
  /// - Throws: `CryptoError.datagram`, counted; `plain` has nothing of use then.
  public func unprotect(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    do throws(CryptoError) {
      let byteCount = try open(datagram, into: &plain)
      counters.accepted += 1
      return byteCount
    } catch {
      counters.count(error)
      throw error
    }
  }

  /// Checks and decrypts a compound of RTCP packets; the same as ``unprotect(_:into:)``.
  public func unprotectControl(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    do throws(CryptoError) {
      let byteCount = try openControl(datagram, into: &plain)
      counters.accepted += 1
      return byteCount
    } catch {
      counters.count(error)
      throw error
    }
  }

  private func open(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    let fields = try RTPFields(datagram, trailer: SRTPSender.overheadByteCount)
    let (keys, variant, rollOver) = try keys(of: datagram)
    guard let window = keys.window(of: fields.ssrc) else { throw .datagram(.tooManyStreams) }
    let low = UInt32(rollOver) << 16 | UInt32(fields.sequenceNumber)
    let estimate = PacketIndex.estimate(low, highest: window.highest)
    guard let index = estimate else { throw .datagram(.tooOld) }
    try Self.check(window, index)
    guard datagram.byteCount <= plain.byteCount else { throw .datagram(.noRoom) }
    plain.copy(datagram, to: 0)
    let cipher = keys.rtp[variant.index]
    let byteCount = datagram.byteCount - SRTPSender.overheadByteCount
    let isAuthentic = cipher.open(
      &plain, header: fields.byteCount, text: byteCount - fields.byteCount,
      nonce: cipher.nonce(ssrc: fields.ssrc, index: index))
    guard isAuthentic else { throw .datagram(.notAuthentic) }
    keys.accept(index, ssrc: fields.ssrc)
    return byteCount
  }

  private func openControl(
    _ datagram: RawSpan, into plain: inout MutableRawSpan
  ) throws(CryptoError) -> Int {
    let byteCount = datagram.byteCount - SRTPSender.controlOverheadByteCount
    guard byteCount >= SRTPSender.controlHeaderByteCount else { throw .datagram(.tooShort) }
    guard datagram.octet(at: 0) >> 6 == 2 else { throw .datagram(.malformed) }
    let (keys, variant, rollOver) = try keys(of: datagram)
    guard variant == .first, rollOver == 0 else { throw .datagram(.unknownKey) }
    let word = datagram.uint32(at: byteCount + SRTPCipher.tagByteCount)
    // Packets that are not encrypted (E flag 0) are none of ours.
    guard word & SRTPSender.encryptedFlag != 0 else { throw .datagram(.malformed) }
    let index = UInt64(word & ~SRTPSender.encryptedFlag)
    try Self.check(keys.controlWindow, index)
    guard datagram.byteCount <= plain.byteCount else { throw .datagram(.noRoom) }
    plain.copy(datagram, to: 0)
    let header = SRTPSender.controlHeaderByteCount
    let isAuthentic = keys.rtcp.open(
      &plain, header: header, trailer: word, text: byteCount - header,
      nonce: keys.rtcp.nonce(ssrc: datagram.uint32(at: 4), index: index))
    guard isAuthentic else { throw .datagram(.notAuthentic) }
    keys.controlWindow.accept(index)
    return byteCount
  }

  /// What the master key identifier at the end names.
  private func keys(
    of datagram: RawSpan
  ) throws(CryptoError) -> (keys: SRTPKeySet, variant: SRTPVariant, rollOver: UInt16) {
    let identifier = datagram.uint32(
      at: datagram.byteCount - SRTPSender.masterKeyIdentifierByteCount)
    let epoch = UInt8(identifier >> 24)
    let variant = SRTPVariant(Int(identifier >> 16 & 0xFF))
    // The newest as a rule.
    guard let variant, let place = keySets.indices.first(where: { keySets[$0].epoch == epoch })
    else { throw .datagram(.unknownKey) }
    return (keySets[place], variant, UInt16(truncatingIfNeeded: identifier))
  }

  private static func check(_ window: ReplayWindow, _ index: UInt64) throws(CryptoError) {
    switch window.verdict(on: index) {
    case .new: return
    case .replayed: throw .datagram(.replayed)
    case .tooOld: throw .datagram(.tooOld)
    }
  }
}
