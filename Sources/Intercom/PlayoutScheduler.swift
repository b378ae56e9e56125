import Audio
import Media

/// When to decode for the callbacks to come: JACK's beat, how long before it to begin, and what came too late.
///
/// Loop thread only.
final class PlayoutScheduler {
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
  /// What one who does not talk sends: RTCP, and "nobody talks" each 400 ms.
  private static let silentDatagrams = 3
  /// A ring holds so much, at 48 kHz, and the longest codec frame besides.
  private static let mostAheadFrames = 480

  private let engine: AudioEngine
  private let pace: WorkPace
  /// The time now, which has gone on since the wake-up.
  private let clock: () -> Int64
  /// How long the loop's thread has run.
  private let threadCPU: () -> Int64
  /// All that is heard.
  private(set) var streams: [HeardStream] = []
  private(set) var beat = Beat()
  private var lead = RenderLead()
  private var punctuality = Punctuality()
  /// Frames that callbacks did not find, of all streams.
  private(set) var underruns = UnderrunCauses()
  private(set) var wakeLatency = LatencyHistogram()
  private var rendered = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
  /// The side of what is rendered; made for the first stream in stereo.
  private var renderedSide: [Float] = []
  /// The callback that decoding is to come before; nil: nothing plays or waits.
  private var awaitedCallback: UInt64?
  /// How much sooner than at the last moment the loop wants to wake for it.
  private var earlinessNanoseconds: Int64 = 0
  /// That moment; nil: it is the last one.
  private var earlyMoment: Int64?

  init(
    engine: AudioEngine, pace: WorkPace, clock: @escaping () -> Int64,
    threadCPU: @escaping () -> Int64
  ) {
    (self.engine, self.pace, self.clock, self.threadCPU) = (engine, pace, clock, threadCPU)
    streams.reserveCapacity(PeerSlot.count)
  }

  /// Decodes a stream from now on.
  func add(_ heard: HeardStream) {
    heard.stream.deviceRate = beat.sampleRate
    // Without it the first packets would not tell what they need.
    if beat.isRunning { heard.stream.grid = beat.grid(leadNanoseconds: lead.nanoseconds) }
    streams.append(heard)
  }

  /// Decodes a stream no more.
  func remove(_ heard: HeardStream) { streams.removeAll { $0 === heard } }

  /// A wake-up begins: looks where the beat stands.
  ///
  /// What was buffered while no audio ran is history.
  ///
  /// - Returns: whether JACK has begun or ceased to run.
  func begin(wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Bool {
    if let asked = engine.takeWakeNanoseconds() {
      wakeLatency.add(nanoseconds: wokenNanoseconds - asked)
    }
    punctuality.begin(atNanoseconds: wokenNanoseconds)
    pace.mark(nowNanoseconds)
    let wasRunning = beat.isRunning
    beat.update(engine.periodTime(), nowNanoseconds: nowNanoseconds)
    guard beat.isRunning != wasRunning else { return false }
    for heard in streams { heard.stream.reset() }
    return true
  }

  /// JACK's sample rate, once after it changed.
  func takeNewRate() -> Int? {
    guard beat.rateChanged() else { return nil }
    for heard in streams { heard.stream.deviceRate = beat.sampleRate }
    return beat.sampleRate
  }

  /// The wake-up is about to end; the next is due then.
  func end(dueNanoseconds: Int64) {
    pace.rest()
    punctuality.end(
      atNanoseconds: clock(), cpuNanoseconds: threadCPU(), dueNanoseconds: dueNanoseconds,
      leadNanoseconds: beat.leadNanoseconds(wanted: lead.nanoseconds) + earlinessNanoseconds)
  }

  /// Datagrams that are to come in a second, or more than `limit`.
  func expectedDatagrams(limit: Int) -> Int {
    var aSecond = 0
    for heard in streams where aSecond <= limit {
      aSecond +=
        heard.stream.isSounding
        ? MediaClock.framesPerSecond / max(1, heard.stream.packetFrames) : Self.silentDatagrams
    }
    return aSecond
  }

  /// Whether what is missed of a stream may still come.
  var waitsForRepairs: Bool {
    for heard in streams where heard.stream.waitsForRepairs { return true }
    return false
  }

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
  ///
  /// - Parameters:
  ///   - isSending: whether this wake-up has something to send at its end.
  ///   - sentFrames: of this node's own packets.
  func renderDue(nowNanoseconds: Int64, isSending: Bool, sentFrames: Int) -> Int64 {
    let planned = earlyMoment
    (earlyMoment, earlinessNanoseconds) = (nil, 0)
    guard beat.isRunning else { return .max }
    let grid = beat.grid(leadNanoseconds: lead.nanoseconds)
    let isOverdue = awaitedCallback.map { beat.callbackCount >= $0 } ?? false
    renderBeats(max(isOverdue ? 1 : 0, beatsDue(grid, nowNanoseconds)), grid)
    renderEarly(grid, plannedNanoseconds: planned, isSending: isSending)
    var callbacks = callbacksUntilNeeded(grid)
    if let needed = callbacks,
      renderAhead(
        grid, callbacksUntilNeeded: needed, isSending: isSending, sentFrames: sentFrames)
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
    for heard in streams where heard.sink.fillFrames < frames {
      let stream = heard.stream
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
    pace.mark()
    for heard in streams {
      while left > 0, clock() < end, heard.sink.fillFrames < beat.periodFrames,
        heard.stream.isNextComplete,
        render(heard, grid: grid, frames: heard.sink.fillFrames + 1)
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
    pace.mark()
    var hasRendered = false
    for beats in 1...beats {
      for heard in streams where render(heard, grid: grid, frames: beats * beat.periodFrames) {
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
    let count = Int64(streams.count { $0.stream.isSounding })
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
    _ grid: PlayoutGrid, callbacksUntilNeeded callbacks: Int, isSending: Bool, sentFrames: Int
  ) -> Bool {
    let end = moment(ofCallbackAfter: callbacks, grid) - lead.nanoseconds
    pace.mark()
    let packetFrames =
      min(sentFrames, Self.mostAheadFrames) * beat.sampleRate / MediaClock.framesPerSecond
    var left = isSending ? Self.mostAheadOfSending : .max
    var hasRendered = false
    for heard in streams {
      guard left > 0, clock() < end else { break }
      guard heard.stream.isNextComplete, heard.sink.fillFrames < packetFrames,
        render(heard, grid: grid, frames: heard.sink.fillFrames + 1)
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
    for heard in streams {
      let callbacks: Int
      if heard.stream.isSounding {
        callbacks = heard.sink.fillFrames / beat.periodFrames + unseen
      } else if let start = heard.stream.startNanoseconds {
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

  /// Fills the stream's ring with `frames` at JACK's rate, or more; false: it held enough, or nothing sounds.
  private func render(_ heard: HeardStream, grid: PlayoutGrid, frames: Int) -> Bool {
    let (stream, sink) = (heard.stream, heard.sink)
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
      pace.finish(.rendering)
      // The callback may have come meanwhile: then its part is left out already here.
      noticeUnderruns(stream, sink)
      write(count, of: stream, to: sink)
    }
    engine.setPlaying(stream.isSounding, for: heard.slot)
    return hasRendered
  }

  /// Hands over what was rendered.
  private func write(_ count: Int, of stream: PeerStream, to sink: PlayoutSink) {
    let pcm = rendered
    guard stream.hasSide else {
      sink.write(pcm.span.extracting(..<count))
      return
    }
    if renderedSide.isEmpty { renderedSide = [Float](repeating: 0, count: rendered.count) }
    var span = renderedSide.mutableSpan
    var place = span._mutatingExtracting(..<count)
    stream.writeSide(into: &place)
    let side = renderedSide
    sink.write(pcm.span.extracting(..<count), side: side.span.extracting(..<count))
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
