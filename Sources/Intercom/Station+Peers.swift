import Audio
import EventLoop
import Media
import RTP

/// How peers come, are told apart and go. All of it is rare and may allocate.
extension Station {
  /// How often expiry, reports and rates are looked at.
  private static let housekeepingNanoseconds: Int64 = 50_000_000
  private static let rateNanoseconds: Int64 = 1_000_000_000
  private static let refusalReportNanoseconds: Int64 = 60_000_000_000

  /// Strangers that have not proved their address, at most: the rest of the table is for those who did.
  private static let mostUnconfirmed = 8
  /// Settings kept for absent peers, at most.
  private static let mostSettings = 256
  private static let renameNanoseconds: Int64 = 1_000_000_000

  /// Adds a peer named by the user; a stranger that is there already becomes one.
  func addNamed(_ address: SocketAddress, nowNanoseconds: Int64) {
    if let known = peers[address] {
      known.isNamedByUs = true
      return
    }
    if peers.isFull, let stranger = peers.all.first(where: isUnconfirmedStranger) {
      peers.remove(stranger)
    }
    let peer = makePeer(address, isNamedByUs: true, nowNanoseconds: nowNanoseconds)
    guard peers.add(peer) else {
      report(.tooManyPeers(address: address.description, maximum: peers.capacity))
      return
    }
  }

  /// Makes a peer named by the user a stranger, who may stay while it is there.
  func removeNamed(_ address: SocketAddress) {
    guard let peer = peers[address] else { return }
    peer.isNamedByUs = false
    if peer.state == .connecting || peer.state == .ourselves { peers.remove(peer) }
  }

  private func isUnconfirmedStranger(_ peer: Peer) -> Bool {
    !peer.isNamedByUs && peer.state == .contacted
  }

  /// Takes a sender that is not in the table, if its datagram is a whole report and there is room.
  func admit(_ address: SocketAddress, _ bytes: RawSpan, nowNanoseconds: Int64) -> Peer? {
    do {
      try RTCPCompound.forEachPacket(in: bytes) { _ in }
    } catch {
      drops.count(error)
      return nil
    }
    guard !peers.isFull, peers.all.count(where: isUnconfirmedStranger) < Self.mostUnconfirmed,
      admissions.take(nowNanoseconds: nowNanoseconds)
    else {
      drops.refusedPeers += 1
      if peers.isFull { reportRefusal(address, nowNanoseconds: nowNanoseconds) }
      return nil
    }
    let peer = makePeer(address, isNamedByUs: false, nowNanoseconds: nowNanoseconds)
    guard peers.add(peer) else { return nil }
    peer.state = .contacted
    return peer
  }

  /// Acts on what a peer's report said.
  func apply(_ events: ReportEvents, to peer: Peer, nowNanoseconds: Int64) {
    if events.contains(.ownSSRCSeen) {
      drops.ownSSRC += 1
      if events.contains(.ourselves) { recogniseOurselves(peer, nowNanoseconds: nowNanoseconds) }
      return
    }
    if events.contains(.bye) {
      leave(peer, saidGoodbye: true)
      return
    }
    if events.contains(.restarted), peer.state == .connected {
      report(.peerRestarted(name: peer.name, address: peer.address.description))
      disconnect(peer)
      peer.state = .contacted
    }
    if peer.state == .connecting { peer.state = .contacted }
    if peer.reports.isConfirmed, peer.state == .contacted || peer.state == .duplicate {
      connect(peer)
    }
    if peer.state == .connected { followName(peer, nowNanoseconds: nowNanoseconds) }
    sendReportIfDue(peer, nowNanoseconds: nowNanoseconds)
  }

  /// Reports that are due, peers that fell silent, rates for display.
  func keepHouse(nowNanoseconds: Int64) {
    nextHousekeepingNanoseconds = nowNanoseconds + Self.housekeepingNanoseconds
    var index = 0
    while index < peers.all.count {
      let peer = peers.all[index]
      sendReportIfDue(peer, nowNanoseconds: nowNanoseconds)
      let count = peers.all.count
      expire(peer, nowNanoseconds: nowNanoseconds)
      if peers.all.count == count { index += 1 }
    }
    if nowNanoseconds >= nextRateNanoseconds { measureRates(nowNanoseconds) }
  }

  /// Says goodbye to everyone; the datagrams go out with the loop's next entry into the kernel.
  func sayGoodbye() {
    for peer in peers.all where peer.state == .connected || peer.state == .contacted {
      let slot = endpoint.makePacket { packet in peer.reports.makeBye(into: &packet) }
      if let slot { endpoint.send(slot, to: peer.address) }
    }
    hasSaidGoodbye = true
  }

  // MARK: - Transitions

  private func connect(_ peer: Peer) {
    let twin = peers.all.first { other in
      other !== peer && other.state == .connected
        && other.reports.remoteCanonicalName == peer.reports.remoteCanonicalName
    }
    if let twin {
      peer.state = .duplicate
      peer.twin = twin
      return
    }
    peer.twin = nil
    guard let index = freeSlots.lastIndex(where: engine.isIdle) else { return }
    let slot = freeSlots[index]
    let sink = PlayoutSink(engine: engine, slot: slot)
    let stream: PeerStream
    do {
      stream = try makeStream()
      try sink.setRate(beat.sampleRate)
    } catch {
      report(.audioFault("cannot decode for \(peer.address): \(error)"))
      return
    }
    freeSlots.remove(at: index)
    guard engine.attach(slot) else {
      freeSlots.append(slot)
      return
    }
    (peer.slot, peer.stream, peer.sink) = (slot, stream, sink)
    peer.state = .connected
    name(peer)
    peer.settings = settingsByName[peer.name] ?? PeerSettings()
    applySettings(peer)
    rebuildListeners()
    report(
      .peerConnected(name: peer.name, address: peer.address.description, port: portName(peer)))
  }

  /// Names the peer and its port after what it calls itself.
  private func name(_ peer: Peer) {
    peer.toldName = peer.reports.remoteName
    let taken = Set(peers.all.filter { $0 !== peer && $0.state == .connected }.map(\.name))
    peer.name = PeerName.unique(PeerName.sanitized(peer.toldName), among: taken)
    if let slot = peer.slot { session.setPeerPort(slot, peerName: peer.name) }
  }

  /// A peer may call itself otherwise, once a second; gain, pan and mute stay what they are.
  private func followName(_ peer: Peer, nowNanoseconds: Int64) {
    guard peer.toldName != peer.reports.remoteName,
      nowNanoseconds - peer.renamedNanoseconds > Self.renameNanoseconds
    else { return }
    peer.renamedNanoseconds = nowNanoseconds
    name(peer)
  }

  /// Hands gain, mute and pan to the mixer, which ramps them.
  func applySettings(_ peer: Peer) {
    guard let slot = peer.slot else { return }
    engine.setGain(peer.settings.linearGain, for: slot)
    engine.setPan(Float(peer.settings.pan), for: slot)
  }

  private func disconnect(_ peer: Peer) {
    remember(peer)
    if let stream = peer.stream { drops.payloadsOfLeavers.add(stream.statistics) }
    if let slot = peer.slot {
      engine.setPlaying(false, for: slot)
      engine.detach(slot)
      session.clearPeerPort(slot)
      freeSlots.insert(slot, at: 0)
    }
    (peer.slot, peer.stream, peer.sink) = (nil, nil, nil)
    peer.receivedBitsPerSecond = 0
    peer.rateOctets = 0
    for other in peers.all where other.twin === peer {
      other.twin = nil
      other.state = .contacted
    }
    rebuildListeners()
  }

  private func leave(_ peer: Peer, saidGoodbye: Bool) {
    let wasConnected = peer.state == .connected
    if wasConnected { disconnect(peer) }
    peer.reports.forgetRemote()
    peer.twin = nil
    if peer.isNamedByUs {
      peer.state = .connecting
    } else {
      peers.remove(peer)
    }
    guard wasConnected else { return }
    let address = peer.address.description
    report(.peerLeft(name: peer.name, address: address, saidGoodbye: saidGoodbye))
  }

  private func expire(_ peer: Peer, nowNanoseconds: Int64) {
    let quiet = nowNanoseconds - peer.heardNanoseconds
    switch peer.state {
    case .connected where quiet > Peer.Limit.goneNanoseconds: leave(peer, saidGoodbye: false)
    case .contacted where isStale(peer, quiet, nowNanoseconds): leave(peer, saidGoodbye: false)
    case .duplicate where quiet > Peer.Limit.goneNanoseconds: leave(peer, saidGoodbye: false)
    case .ourselves where nowNanoseconds > peer.retryNanoseconds: peer.state = .connecting
    default: break
    }
  }

  private func isStale(_ peer: Peer, _ quiet: Int64, _ nowNanoseconds: Int64) -> Bool {
    let age = nowNanoseconds - peer.createdNanoseconds
    let isUnconfirmed = !peer.isNamedByUs && age > Peer.Limit.unconfirmedNanoseconds
    return quiet > Peer.Limit.unconfirmedNanoseconds || isUnconfirmed
  }

  /// Only before a peer has proved to be another: whoever heard our CNAME can send it back.
  private func recogniseOurselves(_ peer: Peer, nowNanoseconds: Int64) {
    guard peer.state == .connecting || peer.state == .contacted else { return }
    guard peer.isNamedByUs else {
      peers.remove(peer)
      return
    }
    peer.state = .ourselves
    if peer.retryNanoseconds == 0 { report(.peerIsOurselves(address: peer.address.description)) }
    peer.retryNanoseconds = nowNanoseconds + Peer.Limit.ourselvesNanoseconds
  }

  // MARK: - Parts

  private func makePeer(
    _ address: SocketAddress, isNamedByUs: Bool, nowNanoseconds: Int64
  ) -> Peer {
    Peer(
      address: address, isNamedByUs: isNamedByUs,
      reports: PeerReports(
        ssrc: identity.ssrc, canonicalName: identity.canonicalName, name: configuration.name,
        seed: .random(in: .min ... .max)),
      nowNanoseconds: nowNanoseconds)
  }

  private func makeStream() throws(AudioError) -> PeerStream {
    PeerStream(
      configuration: PeerStreamConfiguration(
        playoutDelay: configuration.playoutDelay,
        playoutDelayMaximumNanoseconds: configuration.playoutDelayMaximumNanoseconds),
      decoder: try OpusDecoder())
  }

  /// The peer's JACK port, as `jack_lsp` shows it.
  func portName(_ peer: Peer) -> String { "\(configuration.jackClient):peer_\(peer.name)" }

  private func remember(_ peer: Peer) {
    guard !peer.name.isEmpty else { return }
    guard peer.settings != PeerSettings() else {
      settingsByName[peer.name] = nil
      return
    }
    // A peer may come back under ever new names.
    if settingsByName.count >= Self.mostSettings, settingsByName[peer.name] == nil {
      _ = settingsByName.popFirst()
    }
    settingsByName[peer.name] = peer.settings
  }

  private func rebuildListeners() {
    listeners.removeAll(keepingCapacity: true)
    for peer in peers.all where peer.state == .connected { listeners.append(peer.address) }
  }

  private func reportRefusal(_ address: SocketAddress, nowNanoseconds: Int64) {
    guard
      nowNanoseconds - lastAdmissionRefusalNanoseconds > Self.refusalReportNanoseconds
    else { return }
    lastAdmissionRefusalNanoseconds = nowNanoseconds
    report(.tooManyPeers(address: address.description, maximum: peers.capacity))
  }

  private func measureRates(_ nowNanoseconds: Int64) {
    let elapsed = nowNanoseconds - nextRateNanoseconds + Self.rateNanoseconds
    nextRateNanoseconds = nowNanoseconds + Self.rateNanoseconds
    for peer in peers.all {
      guard let stream = peer.stream else { continue }
      let octets = stream.statistics.receivedOctets
      peer.receivedBitsPerSecond =
        Int(Double(octets - peer.rateOctets) * 8e9 / Double(max(elapsed, 1)))
      peer.rateOctets = octets
    }
  }
}

/// Reports to peers.
extension Station {
  /// Sends a compound report if the peer's time has come (or it just made contact).
  func sendReportIfDue(_ peer: Peer, nowNanoseconds: Int64) {
    guard peer.state != .ourselves, nowNanoseconds >= peer.reports.nextReportNanoseconds else {
      return
    }
    let counters = talker.counters
    let isSending = peer.state == .connected
    let sender = SenderCounters(
      packets: isSending ? counters.packets : 0,
      payloadOctets: isSending ? counters.payloadOctets : 0,
      currentTimestamp: talker.currentTimestamp)
    let slot = endpoint.makePacket { packet in
      peer.reports.makeReport(sender: sender, nowNanoseconds: nowNanoseconds, into: &packet)
    }
    if let slot { endpoint.send(slot, to: peer.address) }
  }
}
