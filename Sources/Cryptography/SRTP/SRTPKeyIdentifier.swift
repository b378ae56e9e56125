/// The master key identifier at a packet's end: epoch, variant, and the lower half of the roll-over counter (``SRTPSender``).
struct SRTPKeyIdentifier {
  let epoch: UInt8
  /// nil: one that no sender has.
  let variant: SRTPVariant?
  let rollOver: UInt16

  /// Of a datagram that is longer.
  init(_ datagram: RawSpan) {
    let word = datagram.uint32(at: datagram.byteCount - SRTPSender.masterKeyIdentifierByteCount)
    epoch = UInt8(word >> 24)
    variant = SRTPVariant(Int(word >> 16 & 0xFF))
    rollOver = UInt16(truncatingIfNeeded: word)
  }
}
