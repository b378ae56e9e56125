import Audio
import EventLoop
import Media

extension Station {
  /// A timer may fire this much early and still count as due.
  private static let timerToleranceNanoseconds: Int64 = 30_000

  /// Decodes for the next callback what its time has come for; returns when to look again.
  ///
  /// A callback that came before its prediction, while decoding still waited for it, is made up for at once.
  func renderDue(nowNanoseconds: Int64) -> Int64 {
    guard beat.isRunning else { return .max }
    let grid = beat.grid(streamCount: listeners.count)
    let isOverdue = awaitedCallback.map { beat.callbackCount >= $0 } ?? false
    if isOverdue || isTime(grid, nowNanoseconds) {
      for peer in peers.all { render(peer, grid: grid) }
    }
    let callbacks = callbacksUntilNeeded(grid)
    awaitedCallback = callbacks.map { beat.callbackCount + 1 + UInt64($0) }
    guard let callbacks else { return .max }
    let due =
      grid.beatNanoseconds - grid.leadNanoseconds + Int64(callbacks) * grid.periodNanoseconds
    return due > nowNanoseconds ? due : nowNanoseconds + grid.periodNanoseconds
  }

  private func isTime(_ grid: PlayoutGrid, _ nowNanoseconds: Int64) -> Bool {
    nowNanoseconds + Self.timerToleranceNanoseconds >= grid.beatNanoseconds - grid.leadNanoseconds
  }

  /// How many callbacks from the next one on can do without decoding; nil: nothing plays or waits.
  private func callbacksUntilNeeded(_ grid: PlayoutGrid) -> Int? {
    var least: Int?
    for peer in peers.all {
      guard let stream = peer.stream, let sink = peer.sink else { continue }
      let callbacks: Int
      if stream.isPlaying {
        callbacks = sink.fillFrames / beat.periodFrames
      } else if let start = stream.startNanoseconds {
        callbacks = max(0, Int((start - grid.beatNanoseconds) / grid.periodNanoseconds))
      } else {
        continue
      }
      least = min(least ?? callbacks, callbacks)
    }
    return least
  }

  /// Plays already, or its start falls into the period the next callback begins.
  private func isDue(_ stream: PeerStream, _ grid: PlayoutGrid) -> Bool {
    if stream.isPlaying { return true }
    guard let start = stream.startNanoseconds else { return false }
    return start < grid.beatNanoseconds + grid.periodNanoseconds
  }

  private func render(_ peer: Peer, grid: PlayoutGrid) {
    guard let stream = peer.stream, let sink = peer.sink, let slot = peer.slot else { return }
    stream.grid = grid
    while sink.fillFrames < beat.periodFrames, isDue(stream, grid) {
      var output = rendered.mutableSpan
      let count = stream.render(
        into: &output, dueNanoseconds: grid.beatNanoseconds - grid.leadNanoseconds,
        playoutNanoseconds: beat.playoutNanoseconds(fillFrames: sink.fillFrames))
      guard count > 0 else { break }
      sink.write(rendered.span.extracting(..<count))
    }
    engine.setPlaying(stream.isPlaying, for: slot)
  }
}
