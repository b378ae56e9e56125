public import Audio
internal import Lines
internal import Synchronization

/// Sound for this node's own ear, as a voice message that is played: made elsewhere, in the middle of the mix, sent to
/// nobody and on no recording.
public final class EarFeed: Sendable {
  /// What is to be heard, at JACK's rate.
  public let pipe: SoundPipe
  private let isPausedNow = Atomic<Bool>(false)
  private let isOverNow = Atomic<Bool>(false)
  private let played = Atomic<Int>(0)

  /// A feed at JACK's rate, hertz.
  public init(sampleRate: Int) throws(AudioError) { pipe = try SoundPipe(sampleRate: sampleRate) }

  /// Silences it where it stands, or lets it go on. [any]
  public func setPaused(_ isPaused: Bool) { isPausedNow.store(isPaused, ordering: .relaxed) }

  /// Whether it stands. [any]
  public var isPaused: Bool { isPausedNow.load(ordering: .relaxed) }

  /// Whether all of it was heard, or it was taken away. [any]
  public var isOver: Bool { isOverNow.load(ordering: .acquiring) }

  /// Frames that went to the mix. [any]
  public var playedFrames: Int { played.load(ordering: .relaxed) }

  func finish() { isOverNow.store(true, ordering: .releasing) }

  /// Some frames for the ear; 0: there are none. [loop]
  func pass(into room: inout MutableSpan<Float>) -> Int {
    let count = min(room.count, pipe.availableFrames)
    guard count > 0 else { return 0 }
    var part = room._mutatingExtracting(..<count)
    pipe.take(into: &part)
    played.add(count, ordering: .relaxed)
    return count
  }
}

/// What sounds at this node's ear alone: what tells of calls, a voice message, a text that is spoken.
///
/// Loop thread only. Steps allocate nothing.
final class EarDesk {
  let callTone: CallTone
  /// Voice messages.
  let clips: EarPlayer
  /// Texts that are spoken: others give way to them, and a voice message goes on below.
  let texts: EarPlayer

  init(engine: AudioEngine, slots: Slots) {
    callTone = CallTone(engine: engine, slots: slots)
    clips = EarPlayer(engine: engine, slots: slots)
    texts = EarPlayer(engine: engine, slots: slots)
    follow(EarSettings())
  }

  var isBusy: Bool { callTone.isBusy || clips.isBusy || texts.isBusy }

  /// Takes what the user set of the ear.
  func follow(_ ear: EarSettings) {
    texts.priority = ear.aloudPriority
    texts.gain = max(1, ear.leastGain(of: ear.aloudPriority))
  }

  /// One wake-up.
  func step(_ beat: Beat) {
    callTone.step(beat)
    clips.step(beat)
    texts.step(beat)
  }
}

/// Plays one ``EarFeed`` at a time in a place of the mix.
///
/// Where a feed pauses, ends or another takes its place, the ring runs dry first: the mixer fades there.
///
/// Loop thread only. Steps allocate nothing.
final class EarPlayer {
  /// Of what is played next.
  var priority = EarSettings.usualPriority
  /// Of what is played next, as a factor.
  var gain: Float = 1
  private let engine: AudioEngine
  private let slots: Slots
  private var feed: EarFeed?
  private var place: EarSlot?
  /// What is in the ring is of the feed before.
  private var isDraining = false

  init(engine: AudioEngine, slots: Slots) {
    (self.engine, self.slots) = (engine, slots)
  }

  var isBusy: Bool { feed != nil }

  /// Plays a feed in place of the one before.
  func play(_ feed: EarFeed) throws(IntercomError) {
    if place == nil {
      let taken = try EarSlot(engine, in: slots)
      (taken.priority, taken.gain) = (priority, gain)
      guard taken.attach() else {
        taken.end()
        throw .refused("the mix has no free slot just now; try again in a second")
      }
      place = taken
    }
    isDraining = self.feed != nil
    self.feed?.finish()
    self.feed = feed
  }

  /// Plays that feed no more.
  func stop(_ feed: EarFeed) { if self.feed === feed { end() } }

  /// One wake-up.
  func step(_ beat: Beat) {
    guard let feed, let place, beat.isRunning else { return }
    // JACK came back at another rate: what is left would sound at another pitch.
    guard beat.sampleRate == feed.pipe.sampleRate else { return end() }
    let isLast = feed.pipe.hasEnded
    let fill = place.fillFrames
    isDraining = isDraining && fill > 0
    guard !feed.isPaused, !isDraining else { return place.setPlaying(false) }
    place.fill(beat) { feed.pass(into: &$0) }
    let rest = feed.pipe.availableFrames
    place.setPlaying(!isLast || rest > 0)
    if isLast, rest == 0, fill == 0 { end() }
  }

  private func end() {
    feed?.finish()
    feed = nil
    place?.end()
    place = nil
  }
}

extension Intercom {
  /// What is said on lines, for whoever keeps the last of it; one reader.
  public var again: AgainQueue { station.taps.again }
}

/// The microphone for a voice message, and the ear for one that is played.
extension Intercom {
  /// Lets somebody have what the microphone hears from now on, after the voice chain and whether the talk key is open
  /// or not; at JACK's rate, as long as that stays.
  ///
  /// The memory is had off the loop.
  public nonisolated func beginMemo() async throws(IntercomError) -> SoundPipe {
    let pipe: SoundPipe
    let rate = try await runningRate()
    do throws(AudioError) {
      pipe = try SoundPipe(sampleRate: rate)
    } catch {
      throw .audio(error)
    }
    try await begin(pipe)
    return pipe
  }

  /// Lets nobody have that any more.
  public func endMemo(_ pipe: SoundPipe) { station.taps.endMemo(pipe) }

  /// Makes a feed for the ear at JACK's rate.
  public nonisolated func makeEarFeed() async throws(IntercomError) -> EarFeed {
    let rate = try await runningRate()
    do throws(AudioError) {
      return try EarFeed(sampleRate: rate)
    } catch {
      throw .audio(error)
    }
  }

  /// Plays a feed at this node's ear, in place of the one before.
  public func play(_ feed: EarFeed) throws(IntercomError) { try station.ear.clips.play(feed) }

  /// Plays that feed no more.
  public func stop(_ feed: EarFeed) { station.ear.clips.stop(feed) }

  /// Plays a text that is spoken, beside a voice message, with the priority that the user gave to such.
  public func speak(_ feed: EarFeed) throws(IntercomError) { try station.ear.texts.play(feed) }

  /// Speaks that no more.
  public func silence(_ feed: EarFeed) { station.ear.texts.stop(feed) }

  /// JACK's rate.
  ///
  /// - Throws: that it does not run, in words.
  func runningRate() throws(IntercomError) -> Int {
    let beat = station.playout.beat
    guard beat.isRunning else { throw .refused("JACK does not run; start it, then try again") }
    return beat.sampleRate
  }

  private func begin(_ pipe: SoundPipe) throws(IntercomError) {
    guard station.taps.beginMemo(pipe) else {
      throw .refused("a voice message is being recorded already; send or cancel that")
    }
  }
}
