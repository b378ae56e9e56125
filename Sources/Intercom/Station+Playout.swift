import Audio
import EventLoop
import Media

extension Station {
  /// A timer may fire this much early and still count as due.
  private static let timerToleranceNanoseconds: Int64 = 30_000
  /// Callbacks that may be late together and yet find sound, the periods of a sound card's buffer: beside those that a
  /// lead of several periods is for.
  private static let mostBeatsAhead: Int64 = 3
  /// Waking up may take so much more than as a rule, before it is no doing of the node's (`Punctuality`).
  private static let wakeUpReserveNanoseconds: Int64 = 50_000
  /// What is captured in a wake-up is sent at its end, so only so much is decoded ahead before.
  private static let mostAheadOfSending = 2
  /// More of them within one wake-up are no callbacks that came: JACK counts from elsewhere.
  private static let unseenCallbacks: ClosedRange<Int64> = 1...16
  /// So soon after a packet is there as a rule it is looked for: waking up takes less, and arrivals vary as much.
  private static let afterArrivalNanoseconds: Int64 = 200_000
  /// Waking up earlier than it must by less is not worth it.
  private static let leastEarlinessNanoseconds: Int64 = 100_000
  /// Of 2.5 ms, at 48 kHz.
  private static let shortPacketFrames = 120
  /// A ring holds so much, at 48 kHz, and the longest codec frame besides.
  private static let mostAheadFrames = 480

  /// Decodes for the next callback what its time has come for; returns when to look again.
  ///
  /// A callback that came before its prediction, while decoding still waited for it, is made up for at once. Callbacks
  /// that are late come in quick succession, as a sound card lost no time: each finds the sound of its beat. (After an
  /// xrun, which does lose time, they do not; then `Beat` moves, and playout control takes the delay out.)
  ///
  /// What is there already and would need a wake-up before the next packet is captured is decoded ahead, in this one.
  ///
  /// The last moment is for packets that come late. Where all that a callback needs are usually there long before, they
  /// are looked for then: a wake-up that comes late has that much more time, before there is a hole in the sound.
  func renderDue(nowNanoseconds: Int64, isSending: Bool) -> Int64 {
    let planned = earlyMoment
    (earlyMoment, earlinessNanoseconds) = (nil, 0)
    guard beat.isRunning else { return .max }
    let grid = beat.grid(leadNanoseconds: lead.nanoseconds)
    let isOverdue = awaitedCallback.map { beat.callbackCount >= $0 } ?? false
    renderBeats(max(isOverdue ? 1 : 0, beatsDue(grid, nowNanoseconds)), grid)
    renderEarly(grid, plannedNanoseconds: planned, isSending: isSending)
    var callbacks = callbacksUntilNeeded(grid)
    if let needed = callbacks,
      renderAhead(grid, callbacksUntilNeeded: needed, isSending: isSending)
    {
      callbacks = callbacksUntilNeeded(grid)
    }
    awaitedCallback = callbacks.map { beat.callbackCount + 1 + UInt64($0) }
    guard let callbacks else { return .max }
    let due = moment(ofCallbackAfter: callbacks, grid)
    guard due > nowNanoseconds else { return nowNanoseconds + grid.periodNanoseconds }
    let early = earliness(ofCallbackAfter: callbacks, grid)
    guard early > 0, due - early > nowNanoseconds else { return due }
    (earlyMoment, earlinessNanoseconds) = (due - early, early)
    return due - early
  }

  /// How long before the last moment what a callback needs is there as a rule; 0: not at all, or hardly.
  ///
  /// At most half a period: the callback before, which may be late, is to have taken its part of the ring. Packets of
  /// 2.5 ms are not looked for: whoever sends them wants to be heard early, and what such looks taught the lead made
  /// them 0.3 ms later.
  private func earliness(ofCallbackAfter callbacks: Int, _ grid: PlayoutGrid) -> Int64 {
    var least: Int64?
    let frames = (callbacks + 1 - unseenCallbacks) * beat.periodFrames
    for listener in listeners {
      guard let stream = listener.peer.stream, let sink = listener.peer.sink,
        sink.fillFrames < frames
      else { continue }
      if stream.isPlaying {
        guard stream.packetFrames > Self.shortPacketFrames else { continue }
        let slack = stream.usualSlackNanoseconds - Self.afterArrivalNanoseconds
        least = min(least ?? grid.periodNanoseconds / 2, slack)
      } else if stream.isSounding || stream.startNanoseconds != nil {
        return 0
      }
    }
    guard let least, least >= Self.leastEarlinessNanoseconds else { return 0 }
    return least
  }

  /// Decodes what the next callback needs and is there.
  ///
  /// Where that was planned it tells as well how long a render takes as one at the last moment: of those alone the late
  /// ones would be too large a share.
  private func renderEarly(_ grid: PlayoutGrid, plannedNanoseconds planned: Int64?, isSending: Bool)
  {
    let end = moment(ofCallbackAfter: 0, grid)
    var hasRendered = false
    var left = isSending ? Self.mostAheadOfSending : .max
    pace.mark(clock())
    for listener in listeners {
      let peer = listener.peer
      guard let stream = peer.stream, let sink = peer.sink else { continue }
      while left > 0, clock() < end, sink.fillFrames < beat.periodFrames, stream.isNextComplete,
        render(peer, grid: grid, frames: sink.fillFrames + 1)
      {
        left -= 1
        hasRendered = true
      }
    }
    guard hasRendered, let planned else { return }
    let now = clock()
    let took = now - planned
    guard took > 0 else { return }
    lead.observe(tookNanoseconds: took, crowdNanoseconds: crowdNanoseconds, atNanoseconds: now)
  }

  /// Decodes for so many callbacks: what the first of them needs first.
  private func renderBeats(_ beats: Int, _ grid: PlayoutGrid) {
    guard beats > 0 else { return }
    pace.mark(clock())
    var hasRendered = false
    for beats in 1...beats {
      for listener in listeners
      where render(listener.peer, grid: grid, frames: beats * beat.periodFrames) {
        hasRendered = true
      }
    }
    guard hasRendered else { return }
    let now = clock()
    lead.observe(
      tookNanoseconds: now - grid.beatNanoseconds + grid.leadNanoseconds,
      crowdNanoseconds: crowdNanoseconds, atNanoseconds: now)
  }

  /// What it takes to receive and decode a packet of each that sounds, and to send one, all in one wake-up.
  ///
  /// What this one took counts as well, and a quarter more that the next may take: not for one stream, which has its
  /// hole once in a while and needs each 0.1 ms; almost in full for ten, which all have it then.
  private var crowdNanoseconds: Int64 {
    let each = pace.usualNanoseconds(.receiving) + pace.usualNanoseconds(.rendering)
    let count = Int64(listeners.count { $0.peer.stream?.isSounding ?? false })
    let usual = count * each + pace.usualNanoseconds(.sending)
    let most = Self.wakeUpReserveNanoseconds + pace.spentNanoseconds * 5 / 4
    return usual + max(0, most - usual) * max(0, count - 1) / max(1, count)
  }

  /// The last moment to begin decoding for the callback that `callbacks` others come before.
  private func moment(ofCallbackAfter callbacks: Int, _ grid: PlayoutGrid) -> Int64 {
    grid.beatNanoseconds - grid.leadNanoseconds + Int64(callbacks) * grid.periodNanoseconds
  }

  /// Decodes one frame each of the streams that have it and need it before this node's next packet, until something
  /// else is due; false: there are none.
  private func renderAhead(
    _ grid: PlayoutGrid, callbacksUntilNeeded callbacks: Int, isSending: Bool
  ) -> Bool {
    let end = moment(ofCallbackAfter: callbacks, grid) - lead.nanoseconds
    pace.mark(clock())
    let packetFrames =
      min(coding.framesPerPacket, Self.mostAheadFrames) * beat.sampleRate / Self.codecRate
    var left = isSending ? Self.mostAheadOfSending : .max
    var hasRendered = false
    for listener in listeners {
      guard left > 0, clock() < end else { break }
      let peer = listener.peer
      guard let stream = peer.stream, let sink = peer.sink, stream.isNextComplete,
        sink.fillFrames < packetFrames, render(peer, grid: grid, frames: sink.fillFrames + 1)
      else { continue }
      left -= 1
      hasRendered = true
    }
    return hasRendered
  }

  /// Callbacks, the next one first, that should have run by now or are about to.
  private func beatsDue(_ grid: PlayoutGrid, _ nowNanoseconds: Int64) -> Int {
    let ahead =
      nowNanoseconds + Self.timerToleranceNanoseconds + grid.leadNanoseconds - grid.beatNanoseconds
    guard ahead >= 0 else { return 0 }
    let planned = (grid.leadNanoseconds - 1) / grid.periodNanoseconds
    return Int(min(ahead / grid.periodNanoseconds + 1, planned + Self.mostBeatsAhead))
  }

  /// How many callbacks from the next one on can do without decoding; nil: nothing plays or waits.
  ///
  /// A callback that came while this wake-up took its time has taken its part of the rings, and is one of those that
  /// can do without: not counted, the one after it would be decoded for at once, a period early.
  private func callbacksUntilNeeded(_ grid: PlayoutGrid) -> Int? {
    let unseen = unseenCallbacks
    let callbacks = callbacksUntilNeeded(grid, unseen: unseen)
    let unseenSince = unseenCallbacks
    return unseenSince == unseen ? callbacks : callbacksUntilNeeded(grid, unseen: unseenSince)
  }

  /// Callbacks that came since the beat was last looked at.
  private var unseenCallbacks: Int {
    guard let period = engine.periodTime(), period.periodFrames == beat.periodFrames
    else { return 0 }
    let count = Int64(bitPattern: period.count &- beat.callbackCount)
    return Self.unseenCallbacks.contains(count) ? Int(count) : 0
  }

  private func callbacksUntilNeeded(_ grid: PlayoutGrid, unseen: Int) -> Int? {
    var least: Int?
    for listener in listeners {
      guard let stream = listener.peer.stream, let sink = listener.peer.sink else { continue }
      let callbacks: Int
      if stream.isSounding {
        callbacks = sink.fillFrames / beat.periodFrames + unseen
      } else if let start = stream.startNanoseconds {
        callbacks = max(0, Int((start - grid.beatNanoseconds) / grid.periodNanoseconds))
      } else {
        continue
      }
      least = min(least ?? callbacks, callbacks)
    }
    return least
  }

  /// Plays already, or its start falls into the next `beats` periods.
  private func isDue(_ stream: PeerStream, _ grid: PlayoutGrid, beats: Int) -> Bool {
    if stream.isSounding { return true }
    guard let start = stream.startNanoseconds else { return false }
    return start < grid.beatNanoseconds + Int64(beats) * grid.periodNanoseconds
  }

  /// Fills the peer's ring with `frames` at JACK's rate, or more; false: it held enough, or nothing sounds.
  private func render(_ peer: Peer, grid: PlayoutGrid, frames: Int) -> Bool {
    guard let stream = peer.stream, let sink = peer.sink, let slot = peer.slot else { return false }
    stream.grid = grid
    noticeUnderruns(stream, sink)
    var hasRendered = false
    while sink.fillFrames < frames, sink.hasRoom,
      isDue(stream, grid, beats: frames / beat.periodFrames)
    {
      let waitingFrames = waitingFrames(in: sink)
      var output = rendered.mutableSpan
      let count = stream.render(
        into: &output,
        dueNanoseconds: moment(ofCallbackAfter: waitingFrames / beat.periodFrames, grid),
        playoutNanoseconds: beat.playoutNanoseconds(fillFrames: waitingFrames))
      guard count > 0 else { break }
      hasRendered = true
      pace.finish(.rendering, atNanoseconds: clock())
      // The callback may have come meanwhile: then its part is left out already here.
      noticeUnderruns(stream, sink)
      sink.write(rendered.span.extracting(..<count))
    }
    engine.setPlaying(stream.isSounding, for: slot)
    return hasRendered
  }

  /// Frames that the ring held after the last callback that the beat knows of.
  ///
  /// A callback that came since, while this wake-up took its time, has taken a period of them: not seen, sound would
  /// seem a period early, and be stretched for it.
  private func waitingFrames(in sink: PlayoutSink) -> Int {
    var count = engine.periodTime()?.count
    var fillFrames = sink.fillFrames
    let later = engine.periodTime()
    if later?.count != count {
      count = later?.count
      fillFrames = sink.fillFrames
    }
    let unseen = count.map { Int64(bitPattern: $0 &- beat.callbackCount) } ?? 0
    let isSameBeat = later?.periodFrames == beat.periodFrames
    let taken = isSameBeat && Self.unseenCallbacks.contains(unseen) ? Int(unseen) : 0
    return fillFrames - sink.missedFrames + taken * beat.periodFrames
  }

  private func noticeUnderruns(_ stream: PeerStream, _ sink: PlayoutSink) {
    let frames = sink.noticeUnderruns(isPlaying: stream.isPlaying, sampleRate: beat.sampleRate)
    guard frames > 0 else { return }
    underruns.add(
      frames, punctuality.cause(atNanoseconds: clock(), cpuNanoseconds: threadCPU()))
  }
}
