internal import Audio
internal import EventLoop
internal import Intercom
internal import Lines

/// The last that was said on each line, in memory only, and who plays it at this node's ear.
///
/// On Swift's ordinary pool: the media loop only puts pieces into a queue, which is emptied from time to time.
actor LineAgain {
  /// Before the queue is full, whoever talks.
  private static let interval = Duration.milliseconds(400)
  private static let aheadSeconds = 2

  private let node: Intercom
  private var memory = AgainMemory()
  private var queue: AgainQueue?
  /// The lines that this node is on, by the places that the media path has for them.
  private var lines: [Int: LineName] = [:]
  private var feed: EarFeed?

  init(node: Intercom) { self.node = node }

  /// Begins to keep.
  func start() async {
    queue = await node.again
    Task { [weak self] in
      while let self {
        await self.keep()
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  /// These lines are at these places from now on; what was said on others is forgotten.
  func follow(_ places: [Int: LineName]) {
    guard places != lines else { return }
    keep()
    let former = lines
    lines = places
    memory.keep({ former[$0] == places[$0] }, nowNanoseconds: EventLoop.nowNanoseconds())
  }

  private func keep() {
    let now = EventLoop.nowNanoseconds()
    queue?.read { head, pcm in memory.take(head, pcm, nowNanoseconds: now) }
    memory.keep({ lines[$0] != nil }, nowNanoseconds: now)
  }

  /// Plays the last that was said on a line, in place of what plays at the ear.
  ///
  /// - Parameter name: nil: the line where somebody was heard last.
  /// - Returns: what it plays, in words.
  func play(_ name: LineName?, seconds: Double?) async throws(LineError) -> String {
    keep()
    let place = name.map { name in lines.first { $0.value == name }?.key } ?? memory.latestPlace
    if let name, place == nil { throw .notOnLine(name) }
    guard let place, let line = lines[place] else { throw .nothingSaid(name) }
    let next: EarFeed
    do {
      next = try await node.makeEarFeed()
    } catch {
      throw .notPlayed("\(error)")
    }
    let pcm = memory.last(
      seconds ?? Double(AgainMemory.seconds), at: place, sampleRate: next.pipe.sampleRate)
    guard !pcm.isEmpty else { throw .nothingSaid(line) }
    feed = next
    let rest = fill(next, pcm[...])
    do {
      try await node.play(next)
    } catch {
      throw .notPlayed("\(error)")
    }
    Task { await keepFilling(next, rest) }
    let length = Int((Double(pcm.count) / Double(next.pipe.sampleRate)).rounded(.up))
    return "plays the last \(length) s of line \(line)"
  }

  private func keepFilling(_ feed: EarFeed, _ pcm: ArraySlice<Float>) async {
    var rest = pcm
    while self.feed === feed, !feed.isOver, !rest.isEmpty {
      rest = fill(feed, rest)
      try? await Task.sleep(for: Self.interval)
    }
  }

  /// As much as is wanted ahead; what is left.
  private func fill(_ feed: EarFeed, _ pcm: ArraySlice<Float>) -> ArraySlice<Float> {
    let room = Self.aheadSeconds * feed.pipe.sampleRate - feed.pipe.availableFrames
    let part = Array(pcm.prefix(max(0, room)))
    feed.pipe.write(part.span)
    let rest = pcm.dropFirst(part.count)
    if rest.isEmpty { feed.pipe.end() }
    return rest
  }
}
