import Audio
import Cryptography
import EventLoop
import Media
import RTP
import StatusSchema

/// What the station tells of itself, for display.
extension Station {
  /// A complete status; taking it changes none that others take.
  func status(loop: EventLoop, nowNanoseconds: Int64, uptimeSeconds: Double) -> Status {
    maxima.take(from: engine, nowNanoseconds: nowNanoseconds)
    return Status(
      node: nodeStatus(nowNanoseconds: nowNanoseconds, uptimeSeconds), audio: audioStatus(),
      loop: loopStatus(loop),
      network: networkStatus(loop), peers: peerStatuses(nowNanoseconds: nowNanoseconds))
  }

  func nodeStatus(nowNanoseconds: Int64, _ uptimeSeconds: Double) -> NodeStatus {
    let mic = engine.takeMicMeter()
    let mix = engine.takeMixMeter()
    var status = NodeStatus(
      name: ownName, version: configuration.softwareVersion,
      uptimeSeconds: uptimeSeconds, listen: endpoint.localAddress.description, talk: isTalking,
      micLevelDBFS: Double(mic.rmsDBFS),
      micPeakDBFS: Double(MeterReading(peak: Float(maxima.micPeaks.value), rms: 0).peakDBFS),
      mixLevelDBFS: Double(mix.rmsDBFS), ssrc: identity.ssrc.rawValue,
      ptimeMilliseconds: Double(coding.framesPerPacket) / 48,
      bitrateKilobits: Double(coding.bitsPerSecond) / 1000,
      bitrateMaxKilobits: Double(configuration.mostBitsPerSecond) / 1000,
      application: configuration.application(of: coding).rawValue)
    status.keyEpoch = protection.ownEpoch
    status.loopBack = loopBack.map {
      LoopBackStatus(
        peer: $0.name, secondsLeft: Double(max(0, $0.untilNanoseconds - nowNanoseconds)) / 1e9)
    }
    return status
  }

  func audioStatus() -> AudioStatus {
    let counters = engine.counters
    let mean = Double(counters.callbackMeanNanoseconds)
    let period = Double(max(beat.periodNanoseconds, 1))
    var status = AudioStatus(
      state: beat.isRunning ? .running : .waiting, server: configuration.jackServer ?? "default",
      client: configuration.jackClient, sampleRate: beat.isRunning ? beat.sampleRate : 0,
      periodFrames: beat.isRunning ? beat.periodFrames : 0, xruns: Int(counters.xruns),
      missedPeriods: Int(counters.missedPeriods),
      callbackMeanMicroseconds: mean / 1000,
      callbackWorstMicroseconds: maxima.callbackNanoseconds / 1000,
      callbackLoadPercent: beat.isRunning ? 100 * mean / period : 0,
      captureOverruns: Int(counters.captureOverrunFrames))
    status.refusedPeriods = Int(counters.refusedPeriods)
    status.ringErrors = Int(counters.ringErrors)
    status.callbackRecentWorstMicroseconds = maxima.recentCallbacks.value / 1000
    if beat.periodFrames > 0 {
      status.underruns = underruns.periods(ofFrames: beat.periodFrames)
    }
    return status
  }

  private func loopStatus(_ loop: EventLoop) -> LoopStatus {
    let statistics = loop.statistics
    return LoopStatus(
      wakes: Int(statistics.wakes), enters: Int(statistics.enters),
      wakeLatencyP50Microseconds: Double(wakeLatency.quantile(0.5) ?? 0) / 1000,
      wakeLatencyP99Microseconds: Double(wakeLatency.quantile(0.99) ?? 0) / 1000,
      scheduling: scheduling(of: loop),
      memoryLocked: configuration.locksMemory && loop.memoryLockWarning == nil)
  }

  private func networkStatus(_ loop: EventLoop) -> NetworkStatus {
    let statistics = loop.statistics
    return NetworkStatus(
      packetsSent: Int(statistics.datagramsOut), packetsReceived: Int(statistics.datagramsIn),
      drops: allDrops(statistics).filter { $0.value > 0 })
  }

  /// What the loop dropped before anyone looked, and what the station dropped.
  private func allDrops(_ statistics: EventLoopStatistics) -> [String: Int] {
    var payloads = drops.payloadsOfLeavers
    for peer in peers.all { if let stream = peer.stream { payloads.add(stream.statistics) } }
    var result = drops.byReason.merging(payloads.byReason) { $0 + $1 }
    result["oversized"] = Int(statistics.oversizedDrops + statistics.truncatedDrops)
    result["kernelBufferFull"] = Int(statistics.kernelDrops)
    result["receiveError"] = Int(statistics.receiveErrors + statistics.malformedDrops)
    result["sendBufferFull"] = Int(statistics.sendsFull + statistics.packetShortages)
    result["sendUnreachable"] = Int(statistics.sendsUnreachable)
    result["sendRefused"] = Int(statistics.sendsRefused)
    return result
  }

  private func scheduling(of loop: EventLoop) -> String {
    loop.realtimePriority.map { "fifo \($0)" } ?? "other"
  }

  /// All peers, in the order they came; a member with several addresses once.
  func peerStatuses(nowNanoseconds: Int64) -> [PeerStatus] {
    var told: Set<NodeID> = []
    let shown = peers.all.filter { peer in
      if let connected = peer.member.connected { return peer === connected }
      return told.insert(peer.member.node).inserted
    }
    return shown.map { peerStatus($0, nowNanoseconds: nowNanoseconds) }
  }

  private func peerStatus(_ peer: Peer, nowNanoseconds: Int64) -> PeerStatus {
    let name = peer.name.isEmpty ? peer.address.description : peer.name
    var status = PeerStatus(
      name: name, address: peer.address.description,
      state: state(of: peer, nowNanoseconds: nowNanoseconds))
    status.id = peer.member.node.text
    status.gainDecibels = peer.settings.gainDecibels
    status.pan = peer.settings.pan
    status.isMuted = peer.settings.isMuted
    status.isRecording = peer.member.isRecording
    status.roundTripMilliseconds = peer.reports.roundTrip.map {
      Double($0.smoothedNanoseconds) / 1e6
    }
    status.remoteLossPercent = peer.reports.remoteReception.map { Double($0.fractionLost) / 2.56 }
    status.bitrateKilobits = Double(peer.receivedBitsPerSecond) / 1000
    if let stream = peer.stream { fill(&status, from: stream) }
    if let repair = peer.repair { fill(&status, from: repair) }
    if let quality = peer.quality.quality {
      (status.quality, status.qualityReason) = (quality.figure, quality.reason)
    }
    if let slot = peer.slot {
      status.levelDBFS = Level.finite(Double(engine.takePeerMeter(slot).rmsDBFS))
      status.underrun = Int(engine.underrunFrames(of: slot)) / max(beat.periodFrames, 1)
      if !peer.isPortAwaited, !ports.isRefused(slot) { status.port = portName(peer) }
    }
    return status
  }

  private func fill(_ status: inout PeerStatus, from stream: PeerStream) {
    let statistics = stream.statistics
    status.ssrc = statistics.ssrc?.rawValue
    status.isTalking = stream.isPlaying
    status.jitterMilliseconds = Double(statistics.jitterNanoseconds) / 1e6
    status.playoutDelayMilliseconds = Double(statistics.playoutDelayNanoseconds) / 1e6
    if statistics.ssrc != nil {
      status.driftPPM = statistics.driftPPM
      status.isClockLocked = statistics.isClockLocked
    }
    // Whatever was repaired never came itself.
    let lost = statistics.lost + statistics.repaired - statistics.overtaken
    (status.received, status.lost) = (statistics.received, lost)
    (status.repaired, status.resent) = (statistics.repaired, statistics.repairedByResending)
    status.recovered = statistics.recovered
    (status.late, status.duplicate) = (statistics.late, statistics.duplicate)
    status.concealed = Int(statistics.concealedPackets + 0.001)
    status.spliced = statistics.removals + statistics.insertions + statistics.jumps
    let expected = statistics.received + lost
    status.lossPercent = 100 * Double(lost) / Double(max(expected, 1))
  }

  private func fill(_ status: inout PeerStatus, from repair: RepairSession) {
    let lean = coding.leanBitsPerSecond
    status.sentBitrateKilobits =
      Double(repair.bitsPerSecond(full: coding.bitsPerSecond, lean: lean)) / 1000
    status.sentCopies = repair.recipe.words(hasFEC: repair.hasFEC)
  }

  private func state(of peer: Peer, nowNanoseconds: Int64) -> PeerStatus.State {
    switch peer.state {
    case .connecting, .contacted, .duplicate: return .connecting
    case .connected:
      let quiet = nowNanoseconds - peer.presenceNanoseconds
      return quiet > Peer.Limit.silentNanoseconds ? .silent : .connected
    }
  }
}
