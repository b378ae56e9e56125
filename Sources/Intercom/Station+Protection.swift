import Cryptography
import EventLoop
import Media
import RTP

/// Protected media: what goes out is encrypted, what comes in is a member's or nothing.
extension Station {
  /// Writes an RTP packet by `fill` and protects it, as the recipe's place in the list has its own key.
  ///
  /// - Returns: its bytes; 0 when there is nothing to send.
  func makeMedia(
    _ recipeIndex: Int = 0, into packet: inout MutableRawSpan,
    fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    guard let protection else { return fill(&packet) }
    let byteCount = Self.fill(&packet, sparing: MediaProtection.mediaOverhead, fill)
    guard byteCount > 0 else { return 0 }
    guard let variant = SRTPVariant(recipeIndex) else { return countUnsealed() }
    let sealed = protection.seal(&packet, byteCount: byteCount, variant: variant)
    return sealed > 0 ? sealed : countUnsealed()
  }

  /// The same for a compound of reports.
  func makeReport(
    into packet: inout MutableRawSpan, fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    guard let protection else { return fill(&packet) }
    let byteCount = Self.fill(&packet, sparing: MediaProtection.reportOverhead, fill)
    guard byteCount > 0 else { return 0 }
    let sealed = protection.sealReport(&packet, byteCount: byteCount)
    return sealed > 0 ? sealed : countUnsealed()
  }

  private static func fill(
    _ packet: inout MutableRawSpan, sparing overhead: Int, _ fill: (inout MutableRawSpan) -> Int
  ) -> Int {
    let room = min(packet.byteCount, MediaProtection.mostSentBytes) - overhead
    guard room > 0 else { return 0 }
    var place = packet._mutatingExtracting(0..<room)
    return fill(&place)
  }

  private func countUnsealed() -> Int {
    drops.unsealed += 1
    return 0
  }

  /// A datagram's way in, when media are protected: whose it says it is, whether that is true, and only then what it says.
  func protectedReceived(
    _ datagram: RawSpan, isReport: Bool, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard let protection else { return }
    let claimant =
      isReport
      ? protection.claimant(ofReport: datagram) : protection.claimant(ofMedia: datagram)
    guard let member = claimant else {
      countUnknown(datagram, isReport: isReport, from: address)
      return
    }
    do throws(CryptoError) {
      let plain = try unsafe protection.open(datagram, isReport: isReport, of: member)
      member.heardNanoseconds = max(member.heardNanoseconds, arrivalNanoseconds)
      if isReport {
        receiveReport(
          unsafe plain.bytes, of: member, from: address, nowNanoseconds: arrivalNanoseconds)
      } else {
        receiveMedia(
          unsafe plain.bytes, of: member, from: address, arrivalNanoseconds: arrivalNanoseconds)
      }
    } catch {
      drops.protection.count(error)
    }
  }

  private func countUnknown(_ datagram: RawSpan, isReport: Bool, from address: SocketAddress) {
    let ssrc =
      isReport
      ? SRTPReceiver.claimedSSRC(ofControl: datagram)
      : SRTPReceiver.claimedSSRC(ofMedia: datagram)
    if ssrc == identity.ssrc.rawValue {
      drops.ownSSRC += 1
    } else if peers[address] == nil {
      drops.unknownSource += 1
    } else {
      drops.unknownSSRC += 1
    }
  }

  private func receiveMedia(
    _ bytes: RawSpan, of member: Member, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    let entry = entry(at: address, of: member, nowNanoseconds: arrivalNanoseconds)
    entry?.isHeard(sendingMedia: true, nowNanoseconds: arrivalNanoseconds)
    // Where it may be heard was proved by its key; where it may be sent to, its address has yet to prove.
    guard let connected = member.connected, let stream = connected.stream else {
      drops.unknownSource += 1
      return
    }
    receiveMedia(bytes, of: entry ?? connected, stream, arrivalNanoseconds: arrivalNanoseconds)
  }

  private func receiveReport(
    _ bytes: RawSpan, of member: Member, from address: SocketAddress, nowNanoseconds: Int64
  ) {
    if RTCPCompound.isReducedSize(bytes) {
      let entry = entry(at: address, of: member, nowNanoseconds: nowNanoseconds)
      entry?.isHeard(sendingMedia: false, nowNanoseconds: nowNanoseconds)
      guard let connected = member.connected else {
        drops.unknownSource += 1
        return
      }
      receiveFeedback(bytes, of: connected, nowNanoseconds: nowNanoseconds)
      return
    }
    do throws(RTPParseError) {
      if try Self.isFarewell(bytes) {
        drops.unprovedGoodbye += 1
        return
      }
      guard let peer = entry(at: address, of: member, nowNanoseconds: nowNanoseconds) else {
        return
      }
      peer.isHeard(sendingMedia: false, nowNanoseconds: nowNanoseconds)
      let events = try peer.reports.handle(bytes, nowNanoseconds: nowNanoseconds)
      if !peer.reports.wasEchoed {
        // It has lost us, maybe, and has yet to get our key: one answer might be none. Where we hear it already by
        // another of its addresses, this one may never be echoed.
        if member.connected == nil {
          peer.reports.introduce(nowNanoseconds: nowNanoseconds)
        } else {
          peer.reports.answer(nowNanoseconds: nowNanoseconds)
        }
      }
      apply(events, to: peer, nowNanoseconds: nowNanoseconds)
      confirmOthers(of: member, but: peer, by: bytes, nowNanoseconds: nowNanoseconds)
    } catch {
      drops.count(error)
    }
  }
}
