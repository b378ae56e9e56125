public import StatusSchema

/// The client side of `subscribe`: a node's status, kept up to date by what the daemon sends.
///
/// Its calls wait in the calling thread.
public struct StatusSubscription: ~Copyable {
  /// Something changes each second: a daemon that tells nothing for so long is stuck.
  private static let patience = Duration.seconds(5)

  private var client: ControlClient
  private var document = JSONTree.object([:])
  private var heard = ContinuousClock.now

  /// Subscribes.
  ///
  /// - Parameter levels: whether levels are to come as they change.
  /// - Throws: in words for a person; ``RemoteError/refused(_:)`` where the daemon has too many subscribers.
  public init(_ client: consuming ControlClient, levels: Bool) throws(RemoteError) {
    self.client = client
    let answer = try self.client.request(.subscribe(levels: levels ? .named : .calm))
    if case .error(let message) = answer { throw .refused(message) }
  }

  /// The status with all that came so far.
  ///
  /// It waits for something to come, at most for `pause`; without a first status at all, as long as it takes.
  public mutating func status(after pause: Duration) throws(RemoteError) -> Status {
    try take(await: .now + pause)
    while document["node"] == nil {
      try take(await: heard + Self.patience)
    }
    return try status
  }

  /// Takes what is there, or the next line within a time.
  private mutating func take(await deadline: ContinuousClock.Instant) throws(RemoteError) {
    guard var line = try client.line(until: deadline) else {
      guard .now < heard + Self.patience else {
        throw client.timedOut(after: Self.patience)
      }
      return
    }
    while true {
      document.merge(try JSONLine.decode(JSONTree.self, from: line))
      guard let next = try client.line(until: .now) else { break }
      line = next
    }
    heard = .now
  }

  private var status: Status {
    get throws(RemoteError) {
      guard case .object(var members) = document else { throw .malformed("not a status") }
      if case .object(let peers) = members["peers"] {
        members["peers"] = .array(peers.values.sorted { Self.place($0) < Self.place($1) })
      }
      return try JSONLine.decode(Status.self, from: JSONTree.object(members).line)
    }
  }

  private static func place(_ peer: JSONTree) -> Int64 {
    if case .integer(let place) = peer["place"] { place } else { .max }
  }
}
