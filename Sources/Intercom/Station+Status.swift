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
    house.takeMaxima(nowNanoseconds: nowNanoseconds)
    return Status(
      node: nodeStatus(nowNanoseconds: nowNanoseconds, uptimeSeconds), audio: audioStatus(),
      loop: loopStatus(loop),
      network: networkStatus(loop), peers: peerStatuses(nowNanoseconds: nowNanoseconds))
  }

  func nodeStatus(nowNanoseconds: Int64, _ uptimeSeconds: Double) -> NodeStatus {
    let mic = engine.takeMicMeter()
    let mixMeter = engine.takeMixMeter()
    let coding = repair.coding
    var status = NodeStatus(
      name: roster.ownName, version: configuration.softwareVersion,
      uptimeSeconds: uptimeSeconds, listen: endpoint.localAddress.description,
      talk: capture.isTalking,
      micLevelDBFS: Double(mic.rmsDBFS),
      micPeakDBFS: Double(MeterReading(peak: Float(house.maxima.micPeaks.value), rms: 0).peakDBFS),
      mixLevelDBFS: Double(mixMeter.rmsDBFS), ssrc: roster.identity.ssrc.rawValue,
      ptimeMilliseconds: Double(coding.framesPerPacket) / 48,
      bitrateKilobits: Double(coding.bitsPerSecond) / 1000,
      bitrateMaxKilobits: Double(configuration.mostBitsPerSecond) / 1000,
      application: configuration.application(of: coding).rawValue)
    status.keyEpoch = protection.ownEpoch
    status.loopBack = tests.loopBack.map {
      LoopBackStatus(
        peer: $0.name, secondsLeft: Double(max(0, $0.untilNanoseconds - nowNanoseconds)) / 1e9)
    }
    return status
  }

  func audioStatus() -> AudioStatus {
    let counters = engine.counters
    let beat = playout.beat
    let mean = Double(counters.callbackMeanNanoseconds)
    let period = Double(max(beat.periodNanoseconds, 1))
    var status = AudioStatus(
      state: beat.isRunning ? .running : .waiting, server: configuration.jackServer ?? "default",
      client: configuration.jackClient, sampleRate: beat.isRunning ? beat.sampleRate : 0,
      periodFrames: beat.isRunning ? beat.periodFrames : 0, xruns: Int(counters.xruns),
      missedPeriods: Int(counters.missedPeriods),
      callbackMeanMicroseconds: mean / 1000,
      callbackWorstMicroseconds: house.maxima.callbackNanoseconds / 1000,
      callbackLoadPercent: beat.isRunning ? 100 * mean / period : 0,
      captureOverruns: Int(counters.captureOverrunFrames))
    status.refusedPeriods = Int(counters.refusedPeriods)
    status.ringErrors = Int(counters.ringErrors)
    status.callbackRecentWorstMicroseconds = house.maxima.recentCallbacks.value / 1000
    if beat.periodFrames > 0 {
      status.underruns = playout.underruns.periods(ofFrames: beat.periodFrames)
    }
    return status
  }

  private func loopStatus(_ loop: EventLoop) -> LoopStatus {
    let statistics = loop.statistics
    return LoopStatus(
      wakes: Int(statistics.wakes), enters: Int(statistics.enters),
      wakeLatencyP50Microseconds: Double(playout.wakeLatency.quantile(0.5) ?? 0) / 1000,
      wakeLatencyP99Microseconds: Double(playout.wakeLatency.quantile(0.99) ?? 0) / 1000,
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
    var result = drops.byReason.merging(streams.payloadDrops.byReason) { $0 + $1 }
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

  /// All members, in the order they came, but those that are nowhere yet.
  func peerStatuses(nowNanoseconds: Int64) -> [PeerStatus] {
    roster.sessions.shown.map { peerStatus($0, nowNanoseconds: nowNanoseconds) }
  }

  private func peerStatus(_ session: Session, nowNanoseconds: Int64) -> PeerStatus {
    let path = session.active ?? session.paths.first
    let address = path?.address.description ?? ""
    var status = PeerStatus(
      name: session.name.isEmpty ? address : session.name, address: address,
      state: state(of: session, nowNanoseconds: nowNanoseconds))
    status.id = session.node.text
    status.gainDecibels = session.settings.gainDecibels
    status.pan = session.settings.pan
    status.isMuted = session.settings.isMuted
    status.isRecording = session.told.isRecording
    status.roundTripMilliseconds = path?.reports.roundTrip.map {
      Double($0.smoothedNanoseconds) / 1e6
    }
    status.remoteLossPercent = path?.reports.remoteReception.map {
      Double($0.fractionLost) / 2.56
    }
    if let heard = session.streams.first { fill(&status, from: heard, of: session) }
    if let repair = path?.repair { fill(&status, from: repair) }
    return status
  }

  private func fill(_ status: inout PeerStatus, from heard: HeardStream, of session: Session) {
    status.bitrateKilobits = Double(heard.receivedBitsPerSecond) / 1000
    if let quality = heard.quality.quality {
      (status.quality, status.qualityReason) = (quality.figure, quality.reason)
    }
    status.levelDBFS = Level.finite(Double(engine.takePeerMeter(heard.slot).rmsDBFS))
    status.underrun =
      Int(engine.underrunFrames(of: heard.slot)) / max(playout.beat.periodFrames, 1)
    if slots.hasPort(heard.slot) { status.port = slots.portName(of: session.name) }
    fill(&status, from: heard.stream)
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

  private func fill(_ status: inout PeerStatus, from session: RepairSession) {
    status.sentBitrateKilobits = Double(repair.bitsPerSecond(of: session)) / 1000
    status.sentCopies = session.recipe.words(hasFEC: session.hasFEC)
  }

  private func state(of session: Session, nowNanoseconds: Int64) -> PeerStatus.State {
    guard session.isConnected else { return .connecting }
    let quiet = nowNanoseconds - session.heardNanoseconds
    return quiet > Path.Limit.silentNanoseconds ? .silent : .connected
  }
}
