import Cryptography
import RTP

/// The keys of a station: its own, and those of its members, found by the SSRC that a datagram shows in clear.
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

  private(set) var members: [NodeID: Member] = [:]
  private var memberBySSRC: [UInt32: Member] = [:]
  /// Members that left, the latest last: a recording must not be accepted when one returns in the same session.
  private var former: [Member] = []
  private static let mostFormer = 64
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

  func add(_ member: Member) { members[member.node] = member }

  /// Forgets a member and its keys.
  func remove(_ member: Member) {
    members[member.node] = nil
    guard let ssrc = member.ssrc else { return }
    memberBySSRC[ssrc] = nil
    memberBySSRC[~ssrc] = nil
    former.removeAll { $0.node == member.node }
    if former.count == Self.mostFormer { former.removeFirst() }
    former.append(member)
  }

  /// Registers a member's stream and its RTX stream; false: one of them belongs to another.
  func bind(_ ssrc: UInt32, to member: Member) -> Bool {
    guard memberBySSRC[ssrc] == nil, memberBySSRC[~ssrc] == nil else { return false }
    member.ssrc = ssrc
    if let known = former.firstIndex(where: { $0.node == member.node && $0.ssrc == ssrc }) {
      member.resume(former.remove(at: known))
    }
    memberBySSRC[ssrc] = member
    memberBySSRC[~ssrc] = member
    return true
  }

  /// The member that a datagram claims to come from.
  func claimant(ofMedia datagram: RawSpan) -> Member? {
    SRTPReceiver.claimedSSRC(ofMedia: datagram).flatMap { memberBySSRC[$0] }
  }

  /// The same of a report, which is of a member's stream itself.
  func claimant(ofReport datagram: RawSpan) -> Member? {
    guard let ssrc = SRTPReceiver.claimedSSRC(ofControl: datagram),
      let member = memberBySSRC[ssrc], member.ssrc == ssrc
    else { return nil }
    return member
  }

  /// Checks and decrypts a datagram of a member; what it returns holds until the next call.
  func open(
    _ datagram: RawSpan, isReport: Bool, of member: Member
  ) throws(CryptoError) -> UnsafeRawBufferPointer {
    var bytes = unsafe plain.mutableBytes
    let byteCount =
      isReport
      ? try member.receiver.unprotectControl(datagram, into: &bytes)
      : try member.receiver.unprotect(datagram, into: &bytes)
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
