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
      inputs: capture.inputs.map {
        StationSnapshot.Input(
          settings: $0.settings, isTalking: $0.isHeard, levelDBFS: $0.levelDBFS)
      },
      buses: buses.buses.enumerated().map {
        StationSnapshot.Bus(settings: $1, meter: buses.level(of: $0))
      },
      voice: capture.voice.snapshot,
      sound: StationSnapshot.Sound(
        isRunning: beat.isRunning, sampleRate: beat.sampleRate, periodFrames: beat.periodFrames,
        periodNanoseconds: beat.periodNanoseconds, counters: engine.counters,
        longestCallbackNanoseconds: maxima.callbackNanoseconds,
        recentCallbackNanoseconds: maxima.recentCallbacks.value, underruns: playout.underruns,
        wakeLatency: (playout.wakeLatency.quantile(0.5), playout.wakeLatency.quantile(0.99))),
      drops: drops.counts, payloadDrops: streams.payloadDrops,
      peers: roster.sessions.shown.map { look(at: $0, nowNanoseconds: nowNanoseconds) },
      guests: guests.guests.map { guest in
        StationSnapshot.Guest(
          own: (guest.id, guest.lines?.isEmpty != true), name: guest.heard.source.name,
          colourRGB: guest.heard.source.colourRGB, title: guest.title, heard: look(at: guest.heard))
      })
  }

  private func look(at session: Session, nowNanoseconds: Int64) -> StationSnapshot.Peer {
    let path = session.active ?? session.paths.first
    var shown = StationSnapshot.Peer(
      node: session.node, name: session.name, address: path?.address,
      state: state(of: session, nowNanoseconds: nowNanoseconds), settings: session.settings,
      isRecording: session.told.profile.isRecording,
      roundTripNanoseconds: path?.reports.roundTrip?.smoothedNanoseconds,
      remoteFractionLost: path?.reports.worstFractionLost,
      others: session.streams.dropFirst().filter { !$0.source.isGuest }
        .map { ($0.label, look(at: $0)) })
    shown.repair = path?.repair.map {
      ($0.recipe, $0.hasFEC, repair.bitsPerSecond(of: $0))
    }
    shown.guests = session.streams.filter(\.source.isGuest).map { heard in
      StationSnapshot.Guest(
        own: nil, name: heard.label, colourRGB: heard.source.colourRGB,
        title: heard.title(of: session.name), heard: look(at: heard))
    }
    shown.heard = session.streams.first.map {
      look(at: $0, isPlaying: session.isPlaying, meter: session.loudest(by: engine))
    }
    return shown
  }

  /// A stream; of the first of a member whether it sounds and its level are those of all streams of its microphone.
  private func look(
    at heard: HeardStream, isPlaying: Bool? = nil, meter: MeterReading? = nil
  ) -> StationSnapshot.Heard {
    StationSnapshot.Heard(
      statistics: heard.stream.statistics, isPlaying: isPlaying ?? heard.stream.isPlaying,
      receivedBitsPerSecond: heard.receivedBitsPerSecond, quality: heard.quality.quality,
      rmsDBFS: (meter ?? engine.meter(of: heard.slot)).rmsDBFS,
      underrunPeriods: Int(engine.underrunFrames(of: heard.slot))
        / max(playout.beat.periodFrames, 1),
      hasPort: slots.hasPort(heard.slot),
      levellingDecibels: heard.isLevelled ? heard.levelDecibels : nil,
      place: streams.surround.place(of: heard.slot))
  }

  private func state(of session: Session, nowNanoseconds: Int64) -> PeerStatus.State {
    guard session.isConnected else { return .connecting }
    let quiet = nowNanoseconds - session.heardNanoseconds
    return quiet > Path.Limit.silentNanoseconds ? .silent : .connected
  }
}
