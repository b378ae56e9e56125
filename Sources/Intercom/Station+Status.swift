import Audio
import Media
import Mesh
import StatusSchema

/// What the station tells of itself.
extension Station {
  /// All of it, for display; taking it changes none that others take.
  func snapshot(nowNanoseconds: Int64) -> StationSnapshot {
    house.publishLevels(nowNanoseconds: nowNanoseconds)
    let (beat, maxima) = (playout.beat, house.maxima)
    return StationSnapshot(
      sending: StationSnapshot.Sending(
        name: roster.ownName, isTalking: microphone.isTalking, ssrc: roster.identity.ssrc,
        coding: repair.coding, keyEpoch: protection.base.epoch,
        loopBack: tests.loopBack.map { ($0.name, $0.untilNanoseconds - nowNanoseconds) },
        mic: microphone.isOpen ? engine.micMeter : MeterReading(peak: 0, rms: 0),
        micPeak: maxima.micPeaks.value, mix: engine.mixMeter,
        sidetoneDecibels: microphone.sidetoneDecibels),
      voice: capture.voice.snapshot,
      sound: StationSnapshot.Sound(
        isRunning: beat.isRunning, sampleRate: beat.sampleRate, periodFrames: beat.periodFrames,
        periodNanoseconds: beat.periodNanoseconds, counters: engine.counters,
        longestCallbackNanoseconds: maxima.callbackNanoseconds,
        recentCallbackNanoseconds: maxima.recentCallbacks.value, underruns: playout.underruns,
        wakeLatency: (playout.wakeLatency.quantile(0.5), playout.wakeLatency.quantile(0.99))),
      drops: drops.counts, payloadDrops: streams.payloadDrops,
      peers: roster.sessions.shown.map { look(at: $0, nowNanoseconds: nowNanoseconds) })
  }

  private func look(at session: Session, nowNanoseconds: Int64) -> StationSnapshot.Peer {
    let path = session.active ?? session.paths.first
    var shown = StationSnapshot.Peer(
      node: session.node, name: session.name, address: path?.address,
      state: state(of: session, nowNanoseconds: nowNanoseconds), settings: session.settings,
      isRecording: session.told.profile.isRecording,
      roundTripNanoseconds: path?.reports.roundTrip?.smoothedNanoseconds,
      remoteFractionLost: path?.reports.remoteReception?.fractionLost)
    shown.repair = path?.repair.map {
      ($0.recipe, $0.hasFEC, repair.bitsPerSecond(of: $0))
    }
    shown.heard = session.streams.first.map { heard in
      StationSnapshot.Heard(
        statistics: heard.stream.statistics, isPlaying: heard.stream.isPlaying,
        receivedBitsPerSecond: heard.receivedBitsPerSecond, quality: heard.quality.quality,
        rmsDBFS: engine.meter(of: heard.slot).rmsDBFS,
        underrunPeriods: Int(engine.underrunFrames(of: heard.slot))
          / max(playout.beat.periodFrames, 1),
        hasPort: slots.hasPort(heard.slot))
    }
    return shown
  }

  private func state(of session: Session, nowNanoseconds: Int64) -> PeerStatus.State {
    guard session.isConnected else { return .connecting }
    let quiet = nowNanoseconds - session.heardNanoseconds
    return quiet > Path.Limit.silentNanoseconds ? .silent : .connected
  }
}
