public import Cryptography

/// Who is to have the keys of a stream, and so may hear it.
public enum StreamListeners: Hashable, Sendable {
  /// All members, present and future.
  case everyone
  /// These, while they are members.
  case nodes(Set<NodeID>)

  /// Whether a member is among them.
  public func contains(_ node: NodeID) -> Bool {
    switch self {
    case .everyone: true
    case .nodes(let nodes): nodes.contains(node)
    }
  }
}

/// A node's own streams that members have keys of: of each who is to have them, the key in use and the next.
struct SharedStreams {
  /// The key in use and the next; of more the oldest goes.
  private static let keysPerStream = 2

  private struct Stream {
    var listeners: StreamListeners
    /// The oldest first: receivers take newer keys only.
    var keys: [MediaKey] = []
  }

  private var streams: [Int: Stream] = [:]
  /// Whose keys somebody has who is a listener no more.
  private var exposed: Set<Int> = []

  /// Adds a stream's key and sets its listeners; tells who they were before, nil where the stream is new.
  mutating func share(_ key: MediaKey, with listeners: StreamListeners) -> StreamListeners? {
    let before = streams[key.stream]?.listeners
    var stream = streams[key.stream] ?? Stream(listeners: listeners)
    stream.listeners = listeners
    stream.keys.removeAll { $0.epoch == key.epoch || $0.ssrc != key.ssrc }
    stream.keys.append(key)
    stream.keys.sort { $0.epoch < $1.epoch }
    if stream.keys.count > Self.keysPerStream { stream.keys.removeFirst() }
    streams[key.stream] = stream
    return before
  }

  /// Forgets the keys of a stream that came before one that is in use now.
  mutating func retireKeys(of stream: Int, before epoch: UInt64) {
    streams[stream]?.keys.removeAll { $0.epoch < epoch }
  }

  /// Forgets a stream; tells who its listeners were, nil where there is none of that number.
  mutating func end(_ stream: Int) -> StreamListeners? {
    exposed.remove(stream)
    return streams.removeValue(forKey: stream)?.listeners
  }

  /// Who is to have a stream's keys; nil: there is no such stream.
  func listeners(of stream: Int) -> StreamListeners? { streams[stream]?.listeners }

  /// The keys that a member is to have, in the order of their streams; those of one stream, or all.
  func keys(of node: NodeID, in stream: Int? = nil) -> [MediaKey] {
    streams.keys.sorted().filter { stream ?? $0 == $0 }.flatMap { number in
      streams[number].map { $0.listeners.contains(node) ? $0.keys : [] } ?? []
    }
  }

  /// Notes that a node is a member no more: keys that it has are to change; false: it has none.
  mutating func expose(to node: NodeID) -> Bool {
    let known = streams.filter { $0.value.listeners.contains(node) }.map(\.key)
    exposed.formUnion(known)
    return !known.isEmpty
  }

  /// The streams whose keys are to change, once each.
  mutating func takeExposed() -> [Int] {
    defer { exposed = [] }
    return exposed.sorted()
  }
}
