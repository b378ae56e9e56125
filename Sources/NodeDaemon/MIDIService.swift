internal import Audio
internal import EventLoop
internal import Intercom
internal import JackSession
internal import Keys
internal import Lines
internal import StatusSchema

/// Lets MIDI devices at the JACK port `keys_in` work the keys, and shows their lamps at `tally_out`.
///
/// The ports are there while a key has a MIDI control. What is held is held by the port, which says each 300 ms that it
/// is there, as long as JACK runs and something is connected; and is let go of at once where a connection goes, or a
/// message is lost that may have been a release.
actor MIDIService {
  private static let renewal = Duration.milliseconds(300)
  private static let retry = Duration.milliseconds(100)
  /// All lamps are told so often: JACK may hand over nothing in the first periods of a connection, and a device that
  /// was away for a moment looks like one that stayed.
  private static let repetition = Duration.seconds(1)

  private let node: Intercom
  private let lines: LineService
  private var keys = MIDIKeys()
  private var connections = MIDIConnections()
  private var (lost, unplugged): (UInt64, UInt64) = (0, 0)
  private var refusedPresses = 0
  /// JACK's periods when the port last said that it is there.
  private var periods: UInt64 = 0
  private var renews: Duration?
  private var repeats = Duration.zero
  private var alarm = Alarm()

  init(node: Intercom, lines: LineService) { (self.node, self.lines) = (node, lines) }

  /// Begins.
  func start() {
    Task { [weak self, news = node.midi.news] in
      for await _ in news { await self?.turn() }
    }
    node.midi.touch()
  }

  /// One at a time: messages first, as a finger waits; then what became of the keys, and their lamps.
  private func turn() async {
    await takeMessages()
    await followKeys()
    await followConnections()
    await renew()
    let lamps = showLamps()
    let deadline = [renews, lamps].compactMap(\.self).min()
    alarm.set(
      toNanoseconds: deadline.map(Self.nanoseconds) ?? .max,
      nowNanoseconds: EventLoop.nowNanoseconds()
    ) { [weak self] in await self?.ring() }
  }

  private func ring() {
    alarm.rang()
    node.midi.touch()
  }

  private func takeMessages() async {
    for message in node.midi.read() {
      for action in keys.take(message, at: Self.now) { await perform(action) }
    }
    // A device may be back before anybody has seen it gone.
    let counters = node.midi.counters
    guard (counters.lost, counters.unplugged) != (lost, unplugged) else { return }
    (lost, unplugged) = (counters.lost, counters.unplugged)
    await letGo()
  }

  private func perform(_ action: MIDIKeys.Action) async {
    do throws(LineError) {
      try await lines.change { desk, now throws(LineError) in
        switch action {
        case .press(let key): try desk.press(key, by: .midi, nowNanoseconds: now)
        case .release(let key): try desk.release(key, by: .midi, nowNanoseconds: now)
        }
      }
    } catch {
      // The key may be gone since, and so is what was to be released.
      if case .press = action { refusedPresses += 1 }
    }
  }

  private func letGo() async {
    keys.lose()
    renews = nil
    try? await lines.change { desk, now in desk.noteMIDI(isThere: false, nowNanoseconds: now) }
  }

  private func followKeys() async {
    let views = await lines.keyViews
    let wasEmpty = keys.isEmpty
    let isHeldOn = keys.bind(
      views.compactMap { view in
        view.key.midi.map { MIDIKeys.Binding(key: view.key.name, control: $0) }
      })
    var tallies: [KeyName: KeyTally] = [:]
    for view in views where view.key.midi != nil { tallies[view.key.name] = KeyTally(view) }
    keys.show(tallies)
    if !isHeldOn { await letGo() }
    if keys.isEmpty != wasEmpty { node.setMIDIPorts(!keys.isEmpty) }
  }

  private func followConnections() async {
    let former = connections
    connections = node.midi.connections
    if !connections.destinations.isSubset(of: former.destinations) { keys.forgetLamps() }
    if !former.sources.isSubset(of: connections.sources) { await letGo() }
  }

  private func renew() async {
    guard keys.isPressing, !connections.sources.isEmpty else { return renews = nil }
    let (now, present) = (Self.now, node.midi.periods)
    if let renews, now < renews { return }
    renews = now + Self.renewal
    // JACK that stands still hands over no release.
    guard present != periods else { return }
    periods = present
    try? await lines.change { desk, now in desk.noteMIDI(isThere: true, nowNanoseconds: now) }
  }

  /// - Returns: when they are to be shown again; nil: once something happens.
  private func showLamps() -> Duration? {
    guard !connections.destinations.isEmpty else { return nil }
    let now = Self.now
    if now >= repeats {
      keys.forgetLamps()
      repeats = now + Self.repetition
    }
    guard keys.lamps(at: now).allSatisfy(node.midi.send) else {
      // JACK stands still, or will have taken some of them then.
      keys.forgetLamps()
      return now + Self.retry
    }
    return min(keys.deadline ?? repeats, repeats)
  }

  /// For those who look; nil: no key has a MIDI control.
  var status: MIDIStatus? {
    guard !keys.isEmpty else { return nil }
    var status = MIDIStatus()
    let (connections, counters) = (node.midi.connections, node.midi.counters)
    status.sources = connections.sources.sorted()
    status.destinations = connections.destinations.sorted()
    status.problem = connections.problem
    status.received = Int(clamping: counters.received)
    status.ignored = keys.counters.ignored
    status.refused = keys.counters.malformed + Int(clamping: counters.oversize)
    status.refusedPresses = refusedPresses + keys.counters.flooded
    status.lost = Int(clamping: counters.lost)
    status.sent = Int(clamping: counters.sent)
    status.unsent = Int(clamping: counters.unsent)
    return status
  }

  private static var now: Duration { .nanoseconds(EventLoop.nowNanoseconds()) }

  private static func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

extension KeyTally {
  /// What a key shows.
  fileprivate init(_ view: KeyView) {
    self.init(
      isTalking: view.isTalking, isListening: view.isListening, isCalled: view.isCalled,
      isInUse: !view.talkers.isEmpty || view.isAnswered)
  }
}
