internal import Synchronization

/// What the session thread shall do with a peer's port.
enum PortRequest: Hashable, Sendable {
  case set(PeerSlot, portName: String)
  case clear(PeerSlot)
}

/// Requests from any thread to the session thread, kept in order; bounded.
final class PortRequestQueue: Sendable {
  /// Every slot set and cleared eight times over while JACK keeps the session thread waiting.
  static let capacity = 16 * PeerSlot.count

  private let requests = Mutex<[PortRequest]>([])

  /// Adds a request; false when the queue is full.
  func append(_ request: PortRequest) -> Bool {
    requests.withLock { requests in
      guard requests.count < Self.capacity else { return false }
      requests.append(request)
      return true
    }
  }

  /// Takes all requests, the oldest first.
  func takeAll() -> [PortRequest] {
    requests.withLock { requests in
      let taken = requests
      // Not emptied in place: that would copy the storage, now shared, in every round of the session.
      requests = []
      return taken
    }
  }
}
