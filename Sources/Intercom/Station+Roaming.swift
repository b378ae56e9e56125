import EventLoop
import Media
import RTP

/// The addresses of members: each has an entry of its own in the table, and one of a member's is connected.
///
/// Which one may change at any time: a node roams to another network, or its kernel chooses another way. The stream,
/// the place in the mix and the port stay, and move to the entry that is heard.
extension Station {
  /// Sound of a member comes from elsewhere for so long: then that is where it is.
  private static let roamNanoseconds: Int64 = 300_000_000
  /// A node that sends sound does so each 400 ms at least;
  /// with less than that from the connected address another takes over.
  private static let missedNanoseconds: Int64 = 1_000_000_000
  /// What counts as heard now, where only reports come, one each 1.25 s at least.
  private static let recentNanoseconds: Int64 = 1_300_000_000

  /// All entries of a member; allocates.
  func entries(of member: Member) -> [Peer] { peers.all.filter { $0.member === member } }

  /// Lets a member that is not heard hear of this node soon.
  func introduce(to member: Member, nowNanoseconds: Int64) {
    guard member.connected == nil else { return }
    for peer in peers.all where peer.member === member {
      peer.reports.introduce(nowNanoseconds: nowNanoseconds)
    }
  }

  /// The network changed: whoever is not heard may be in reach now.
  func introduceToMembers(nowNanoseconds: Int64) {
    guard !hasEnded else { return }
    for member in protection.members.values {
      introduce(to: member, nowNanoseconds: nowNanoseconds)
    }
  }

  /// The entry of the address from which an authentic datagram of a member came; a new one if there is room.
  ///
  /// Nil: the address is another member's, or too many new ones came this second.
  func entry(
    at address: SocketAddress, of member: Member, nowNanoseconds: Int64
  ) -> Peer? {
    if let peer = peers[address], peer.member === member { return peer }
    guard peers[address]?.state ?? .connecting == .connecting else {
      drops.refusedPeers += 1
      return nil
    }
    guard admissions.take(nowNanoseconds: nowNanoseconds) else {
      drops.refusedPeers += 1
      return nil
    }
    let peer = addEntry(
      address, of: member, isNamedByUs: false, nowNanoseconds: nowNanoseconds)
    peer?.state = .contacted
    return peer
  }

  /// Adds an entry of a member, in place of an unheard one of another where there is one.
  @discardableResult
  func addEntry(
    _ address: SocketAddress, of member: Member, isNamedByUs: Bool, nowNanoseconds: Int64
  ) -> Peer? {
    if let other = peers[address] {
      guard other.member !== member else {
        other.isNamedByUs = other.isNamedByUs || isNamedByUs
        return other
      }
      guard other.state == .connecting else { return nil }
      peers.remove(other)
    }
    let others = entries(of: member)
    if others.count >= MediaMember.mostAddresses {
      let unconnected = others.filter { $0.state != .connected }
      let oldest = unconnected.min {
        ($0.standing, $0.createdNanoseconds) < ($1.standing, $1.createdNanoseconds)
      }
      guard let oldest else { return nil }
      peers.remove(oldest)
    }
    let peer = makePeer(
      address, of: member, isNamedByUs: isNamedByUs, nowNanoseconds: nowNanoseconds)
    peer.reports.introduce(nowNanoseconds: nowNanoseconds)
    guard peers.add(peer) else { return nil }
    name(peer)
    peer.settings = settings(of: peer)
    return peer
  }

  /// A member answers by whichever address its kernel chooses: what it echoes proves the address that it was sent to.
  func confirmOthers(
    of member: Member, but heard: Peer, by bytes: RawSpan, nowNanoseconds: Int64
  ) {
    for peer in peers.all where peer.member === member && peer !== heard {
      guard peer.reports.confirm(byEchoIn: bytes, nowNanoseconds: nowNanoseconds),
        member.connected == nil
      else { continue }
      peer.state = .contacted
      connect(peer)
    }
  }

  /// Lets the streams of members follow to where they are heard now.
  func followMembers(nowNanoseconds: Int64) {
    for member in protection.members.values {
      guard let connected = member.connected else { continue }
      var best: Peer?
      for peer in peers.all where peer.member === member && peer !== connected {
        guard isBetter(peer, than: connected, nowNanoseconds: nowNanoseconds),
          peer.heardNanoseconds > best?.heardNanoseconds ?? .min
        else { continue }
        best = peer
      }
      if let best { move(from: connected, to: best) }
    }
  }

  private func isBetter(_ peer: Peer, than connected: Peer, nowNanoseconds: Int64) -> Bool {
    guard peer.reports.isConfirmed, peer.state == .contacted || peer.state == .duplicate else {
      return false
    }
    let heard = connected.heardNanoseconds
    if peer.mediaNanoseconds - heard > Self.roamNanoseconds { return true }
    let isSending = connected.mediaNanoseconds > nowNanoseconds - Peer.Limit.goneNanoseconds
    let limit = isSending ? Self.missedNanoseconds : Peer.Limit.silentNanoseconds
    return peer.heardNanoseconds - heard > limit
      && nowNanoseconds - peer.heardNanoseconds < Self.recentNanoseconds
  }

  /// Hands stream, place in the mix and port over to another entry of the same member.
  private func move(from old: Peer, to new: Peer) {
    (new.slot, new.stream, new.sink) = (old.slot, old.stream, old.sink)
    // Its losses and queues are of another way.
    new.repair = makeRepair()
    (new.quality, new.settings) = (old.quality, old.settings)
    (new.sentPackets, new.sentOctets) = (old.sentPackets, old.sentOctets)
    (new.rateOctets, new.receivedBitsPerSecond) = (old.rateOctets, old.receivedBitsPerSecond)
    (new.name, new.toldName, new.renamedNanoseconds) = (
      old.name, old.toldName, old.renamedNanoseconds
    )
    (new.isPortAwaited, new.isPortDelayTold) = (old.isPortAwaited, old.isPortDelayTold)
    forgetStream(of: old)
    (old.state, new.state) = (.duplicate, .connected)
    new.member.connected = new
    rebuildListeners()
    report(
      .peerMoved(
        name: new.name, from: old.address.description, to: new.address.description))
  }

  /// An entry that has no stream any more.
  func forgetStream(of peer: Peer) {
    (peer.slot, peer.stream, peer.sink) = (nil, nil, nil)
    (peer.isPortAwaited, peer.isPortDelayTold) = (false, false)
    (peer.receivedBitsPerSecond, peer.rateOctets) = (0, 0)
    (peer.sentPackets, peer.sentOctets) = (0, 0)
    peer.repair = nil
    peer.quality = QualityMeter()
  }
}
