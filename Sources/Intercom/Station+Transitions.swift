import Audio
import EventLoop
import Media

/// How peers come, are told apart and go: the state machine of ``Peer``. Rare, and may allocate.
extension Station {
  /// Acts on what a peer's report said.
  func apply(_ events: ReportEvents, to peer: Peer, nowNanoseconds: Int64) {
    if peer.state == .connecting { peer.state = .contacted }
    if peer.reports.isConfirmed, peer.state == .contacted || peer.state == .duplicate {
      connect(peer)
    }
    if events.contains(.lossesTold), peer.state == .connected {
      followLosses(of: peer, nowNanoseconds: nowNanoseconds)
    }
    if peer.state == .connected { followName(peer, nowNanoseconds: nowNanoseconds) }
    sendReportIfDue(peer, nowNanoseconds: nowNanoseconds)
  }

  func connect(_ peer: Peer) {
    guard peer.member.connected == nil else {
      peer.state = .duplicate
      return
    }
    guard let index = freeSlots.lastIndex(where: engine.isIdle) else { return }
    let slot = freeSlots[index]
    let sink = PlayoutSink(engine: engine, slot: slot)
    guard let stream = takeStream(for: peer) else { return }
    freeSlots.remove(at: index)
    guard engine.attach(slot) else {
      freeSlots.append(slot)
      return
    }
    (peer.slot, peer.stream, peer.sink) = (slot, stream, sink)
    peer.state = .connected
    peer.repair = makeRepair()
    name(peer)
    peer.member.connected = peer
    peer.settings = settings(of: peer)
    applySettings(peer)
    tapSound(of: peer)
    rebuildListeners()
    report(
      .peerConnected(name: peer.name, address: peer.address.description, port: portName(peer)))
  }

  /// Connects those whom no stream was ready for.
  func connectWaiting() {
    awaitsStream = false
    for peer in peers.all
    where !awaitsStream && peer.state == .contacted && peer.reports.isConfirmed { connect(peer) }
  }

  private func takeStream(for peer: Peer) -> PeerStream? {
    do {
      let stream = try streams.take()
      stream?.deviceRate = beat.sampleRate
      // Without it the first packets would not tell what they need.
      if beat.isRunning { stream?.grid = beat.grid(leadNanoseconds: lead.nanoseconds) }
      awaitsStream = stream == nil
      return stream
    } catch {
      report(.audioFault("cannot decode for \(peer.address): \(error)"))
      return nil
    }
  }

  /// Takes a connected peer's sound, port and place in the mix away; whether it stays at all is the caller's to say.
  func disconnect(_ peer: Peer) {
    peer.state = .contacted
    remember(peer)
    peer.member.connected = nil
    if let stream = peer.stream { drops.payloadsOfLeavers.add(stream.statistics) }
    if let slot = peer.slot {
      endTests(with: slot)
      engine.setPlaying(false, for: slot)
      engine.detach(slot)
      clearPort(of: slot)
      // The next peer gets it, whose memory is touched already.
      freeSlots.append(slot)
    }
    let stream = peer.stream
    forgetStream(of: peer)
    if let stream { streams.discard(stream) }
    for other in peers.all where other.member === peer.member && other.state == .duplicate {
      other.state = .contacted
    }
    rebuildListeners()
    if listeners.isEmpty { forgetNarrowWays() }
  }

  func leave(_ peer: Peer, saidGoodbye: Bool) {
    let wasConnected = peer.state == .connected
    if wasConnected { disconnect(peer) }
    peer.reports.forgetRemote()
    if peer.isNamedByUs {
      peer.state = .connecting
    } else {
      peers.remove(peer)
    }
    guard wasConnected else { return }
    let address = peer.address.description
    report(.peerLeft(name: peer.name, address: address, saidGoodbye: saidGoodbye))
  }

  func makeRepair() -> RepairSession {
    let repair = RepairSession(
      boundBitsPerSecond: configuration.mostBitsPerSecond,
      framesPerPacket: configuration.framesPerPacket,
      protectionBytes: MediaProtection.mediaOverhead)
    (repair.framesPerPacket, repair.hasFEC) = (coding.framesPerPacket, coding.hasFEC)
    if let recipe = configuration.fixedRecipe { repair.fix(recipe) }
    return repair
  }
}
