import Cryptography
import RTP

/// What a station protects with, its present key and the next, and where it opens what members protected.
///
/// Loop thread only; what is called per datagram allocates nothing.
@safe final class MediaProtection {
  /// Octets that are kept free behind an RTP packet and a compound of reports.
  static let (mediaOverhead, reportOverhead) = (
    SRTPSender.overheadByteCount, SRTPSender.controlOverheadByteCount
  )
  /// The longest datagram that is sent, so that no way has to split it.
  static let mostSentBytes = 1200
  /// The longest that can be let in.
  private static let mostReceivedBytes = 1500

  private let sender: SRTPSender
  /// Of the key in use, and of the last one made.
  private(set) var (ownEpoch, lastEpoch): (UInt64, UInt64) = (0, 0)
  private var nextEpoch: UInt64?
  private let plain: UnsafeMutableRawBufferPointer

  /// With a first key of epoch 0.
  init(_ key: consuming SRTPSendingKey) {
    sender = SRTPSender(key)
    unsafe plain = .allocate(byteCount: Self.mostReceivedBytes, alignment: 8)
  }

  deinit { unsafe plain.deallocate() }

  /// Checks and decrypts a datagram of a member; what it returns holds until the next call.
  func open(
    _ datagram: RawSpan, isReport: Bool, by receiver: SRTPReceiver
  ) throws(CryptoError) -> UnsafeRawBufferPointer {
    var bytes = unsafe plain.mutableBytes
    let byteCount =
      isReport
      ? try receiver.unprotectControl(datagram, into: &bytes)
      : try receiver.unprotect(datagram, into: &bytes)
    return unsafe UnsafeRawBufferPointer(rebasing: plain[..<byteCount])
  }

  /// Protects a packet in place; 0 where it cannot be.
  func seal(_ packet: inout MutableRawSpan, byteCount: Int, variant: SRTPVariant) -> Int {
    (try? sender.protect(&packet, byteCount: byteCount, variant: variant)) ?? 0
  }

  /// The same for a compound of reports.
  func sealReport(_ packet: inout MutableRawSpan, byteCount: Int) -> Int {
    (try? sender.protectControl(&packet, byteCount: byteCount)) ?? 0
  }

  /// The key in use, for members.
  func ownKey(ssrc: SSRC) -> OwnKey {
    sender.withSecret { OwnKey(epoch: ownEpoch, ssrc: ssrc.rawValue, secret: $0) }
  }

  /// The number of a key that is about to be made.
  func takeEpoch() -> UInt64 {
    lastEpoch += 1
    return lastEpoch
  }

  /// Queues a key for its use; an older one that arrives later is ignored.
  func setNextKey(_ key: consuming SRTPSendingKey, epoch: UInt64) {
    guard epoch > nextEpoch ?? ownEpoch else { return }
    nextEpoch = epoch
    sender.setNextKey(key)
  }

  /// Uses the key that waits.
  func useNextKey() {
    guard let epoch = nextEpoch else { return }
    nextEpoch = nil
    ownEpoch = epoch
    sender.useNextKey()
  }
}
