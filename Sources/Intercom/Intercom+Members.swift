public import Cryptography
import EventLoop
import RTP

/// Members and media keys; for a node whose media are protected (``IntercomConfiguration/protectsMedia``).
extension Intercom {
  /// Lets a member in, whose sound is heard as soon as its key came.
  ///
  /// Called again when it is called otherwise, or has other addresses.
  /// - Returns: false where there is no room for one more, or media are not protected.
  @discardableResult
  public func admit(_ member: MediaMember) -> Bool {
    station.admit(member, nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// Puts a member out: it is silent at once, and its keys and addresses are forgotten.
  ///
  /// A restart of a member is this, then ``admit(_:)``. That it hears no more of us takes another key of ours.
  public func expel(_ node: NodeID, saidGoodbye: Bool = false) {
    station.expel(node, saidGoodbye: saidGoodbye)
  }

  /// The network of this machine changed: members that are not heard are reported to at once.
  public func networkChanged() {
    station.introduceToMembers(nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// Lets others have the name of a node that is no member: it was forgotten.
  public func freeName(of node: NodeID) { station.freeName(of: node) }

  /// Takes a member's key, its first or its next; made with ``ReceivedKey/init(octets:epoch:)`` off the loop.
  ///
  /// - Returns: false where it is no member, its key is not newer than the last, or its SSRC is another's.
  @discardableResult
  public func install(_ key: consuming sending ReceivedKey, of node: NodeID) -> Bool {
    station.install(key, of: node, nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// The key in use, for members; nil where media are not protected.
  public func ownKey() -> OwnKey? { station.protection?.ownKey(ssrc: station.identity.ssrc) }

  /// Makes this node's next key, to be handed to all members, and then used: ``useNextKey()``.
  ///
  /// The work is done on Swift's pool, whatever executor the caller prefers. Made again before it is used, another key takes its place.
  ///
  /// - Returns: nil where media are not protected.
  /// - Throws: what the system or libcrypto refused; the present key stays.
  public nonisolated func makeNextKey() async throws(CryptoError) -> OwnKey? {
    guard let (epoch, ssrc) = await takeEpoch() else { return nil }
    // A task that prefers the loop would run this on the loop.
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      () async throws(CryptoError) -> OwnKey in
      let key = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: epoch))
      let octets = key.secret.withBytes { OwnKey(epoch: epoch, ssrc: ssrc, secret: $0) }
      await setNextKey(key, epoch: epoch)
      return octets
    }
  }

  /// Protects with the key that ``makeNextKey()`` made, from now on; without one nothing changes.
  ///
  /// - Returns: the epoch in use now; nil where media are not protected.
  @discardableResult
  public func useNextKey() -> UInt64? {
    station.protection?.useNextKey()
    return station.protection?.ownEpoch
  }

  private func takeEpoch() -> (epoch: UInt64, ssrc: UInt32)? {
    station.protection.map { ($0.takeEpoch(), station.identity.ssrc.rawValue) }
  }

  private func setNextKey(_ key: consuming sending SRTPSendingKey, epoch: UInt64) {
    station.protection?.setNextKey(key, epoch: epoch)
  }
}
