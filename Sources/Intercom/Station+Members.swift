import Cryptography
import EventLoop
import Media
import RTP

/// Who is a member, and with which key. Rare, and may allocate.
extension Station {
  /// Lets a member's sound in as soon as its key came, and tries its addresses;
  /// again: another name, or other addresses.
  ///
  /// - Returns: false where there is no room for one more.
  @discardableResult
  func admit(_ told: MediaMember, nowNanoseconds: Int64) -> Bool {
    let member: Member
    if let known = protection.members[told.node] {
      member = known
    } else {
      guard protection.members.count < configuration.maximumPeers else {
        drops.refusedPeers += 1
        report(.tooManyPeers(address: told.name, maximum: configuration.maximumPeers))
        return false
      }
      member = Member(node: told.node, name: told.name, nowNanoseconds: nowNanoseconds)
      protection.add(member)
      knocks.know(told.node)
    }
    member.name = told.name
    member.isRecording = told.isRecording
    let addresses = Array(told.addresses.prefix(MediaMember.mostAddresses))
    for peer in entries(of: member) {
      if !addresses.contains(peer.address) { removeNamed(peer.address) }
      followName(peer, nowNanoseconds: nowNanoseconds)
    }
    for address in addresses where !member.addresses.contains(address) {
      addEntry(address, of: member, isNamedByUs: true, nowNanoseconds: nowNanoseconds)
    }
    member.addresses = addresses
    return true
  }

  /// Silences a node that is a member no more, and forgets its keys and addresses; its settings stay.
  func expel(_ node: NodeID, saidGoodbye: Bool = false) {
    guard let member = protection.members[node] else { return }
    protection.remove(member)
    for peer in entries(of: member) {
      peer.isNamedByUs = false
      leave(peer, saidGoodbye: saidGoodbye)
    }
  }

  /// Takes a member's key, its first or its next.
  ///
  /// One that is not newer than the one before, as connections that take each other's place bring it again,
  /// changes nothing.
  ///
  /// - Returns: false where it is not a member, or its SSRC is another's or not the one before.
  @discardableResult
  func install(
    _ key: consuming ReceivedKey, of node: NodeID, nowNanoseconds: Int64
  ) -> Bool {
    guard let member = protection.members[node] else { return false }
    let (ssrc, epoch, own) = (key.ssrc, key.epoch, identity.ssrc.rawValue)
    if let bound = member.ssrc {
      guard bound == ssrc else { return false }
    } else {
      guard ssrc != own, ssrc != ~own, protection.bind(ssrc, to: member) else {
        drops.takenSSRC += 1
        report(.ssrcTaken(name: member.name))
        return false
      }
    }
    if member.add(key.key, epoch: epoch, nowNanoseconds: nowNanoseconds) {
      // What it said before was of no use.
      introduce(to: member, nowNanoseconds: nowNanoseconds)
    }
    return true
  }

  /// Lets go of keys whose time is over.
  func dropOldKeys(nowNanoseconds: Int64) {
    for member in protection.members.values { member.dropOldKeys(nowNanoseconds: nowNanoseconds) }
  }
}
