internal import Synchronization

/// Whether the JACK session beside a launcher sees a server, as the launcher's thread reads it.
final class ServerSight: Sendable {
  /// What the session said last.
  enum Word: UInt8, AtomicRepresentable {
    case nothingYet, absent, present
  }

  private let stored = Atomic<Word>(.nothingYet)

  var word: Word { stored.load(ordering: .relaxed) }

  /// Takes in what a session says.
  func note(_ event: JackSessionEvent) {
    switch event {
    case .waiting, .serverGone: stored.store(.absent, ordering: .relaxed)
    case .running, .refused: stored.store(.present, ordering: .relaxed)
    case .waitingForPlugin, .besidePlugin, .periodChanged, .connectionsRestored, .peerPortRefused,
      .standsStill, .hangs, .answers, .stopped:
      break
    }
  }
}
