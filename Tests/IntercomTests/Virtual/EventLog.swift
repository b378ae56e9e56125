import Synchronization

@testable import Intercom

/// The events of a node, in order.
final class EventLog: Sendable {
  private let stored = Mutex<[IntercomEvent]>([])

  var all: [IntercomEvent] { stored.withLock { $0 } }

  func add(_ event: IntercomEvent) { stored.withLock { $0.append(event) } }

  /// How many of them are of a kind.
  func count(where isWanted: (IntercomEvent) -> Bool) -> Int { all.count(where: isWanted) }
}
