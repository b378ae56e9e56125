import Synchronization

/// Keeps what a callback was told.
final class EventLog<Event: Hashable & Sendable>: Sendable {
  private let stored = Mutex<[Event]>([])

  var events: [Event] { stored.withLock { $0 } }

  func append(_ event: Event) {
    stored.withLock { $0.append(event) }
  }

  func contains(_ isWanted: (Event) -> Bool) -> Bool {
    events.contains(where: isWanted)
  }
}
