import StatusSchema
import Synchronization

@testable import ControlSocket
@testable import Remote

/// A node whose pictures a test draws one by one.
final class ShownNode: ControlHandler {
  private struct Content {
    var picture: NodePicture?
    var followers: [Int: AsyncStream<NodePicture>.Continuation] = [:]
    var followerCount = 0
    var documentCount: UInt64 = 0
    var isGone = false
  }

  private let content = Mutex(Content())

  /// Who follows now.
  var followers: Int { content.withLock { $0.followers.count } }

  func handle(_ request: ControlRequest) async -> ControlResponse {
    request == .talk(isOn: true) ? .ok : .error(message: "not now")
  }

  func pictures() -> AsyncStream<NodePicture>? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
    return content.withLock { content in
      guard !content.isGone else { return nil }
      content.followerCount += 1
      let number = content.followerCount
      content.followers[number] = continuation
      continuation.onTermination = { [weak self] _ in
        _ = self?.content.withLock { $0.followers.removeValue(forKey: number) }
      }
      if let picture = content.picture { continuation.yield(picture) }
      return stream
    }
  }

  /// Shows a node that is up for so long, its microphone at a level.
  func show(uptime: Double, micDBFS: Double = -120, peers: Int = 0) {
    var status = GoldenStatus.value
    status.node.uptimeSeconds = uptime
    status.peers = (0..<peers).map { number in
      var peer = GoldenStatus.value.peers[0]
      peer.id = "\(number)"
      return peer
    }
    show(status, micDBFS: micDBFS)
  }

  /// Shows a node whose microphone's level is looked at whenever somebody wants it.
  func show(micDBFS: @escaping @Sendable () -> Double) {
    let status = GoldenStatus.value
    show { content in
      content.documentCount += 1
      return NodePicture(
        StatusDocument(status, number: content.documentCount), NodeLevels(status),
        after: content.picture
      ) {
        var levels = NodeLevels(status)
        levels.micDBFS = micDBFS()
        return levels
      }
    }
  }

  private func show(_ status: Status, micDBFS: Double) {
    show { content in
      content.documentCount += 1
      var levels = NodeLevels(status)
      levels.micDBFS = micDBFS
      let picture = NodePicture(
        StatusDocument(status, number: content.documentCount), levels, after: content.picture)
      return picture
    }
  }

  /// Hands a picture to all who follow; not under the lock, which who leaves takes in turn.
  private func show(_ draw: (inout Content) -> NodePicture?) {
    let (picture, followers) = content.withLock { content in
      let picture = draw(&content)
      content.picture = picture ?? content.picture
      return (picture, Array(content.followers.values))
    }
    guard let picture else { return }
    for follower in followers { follower.yield(picture) }
  }

  /// Changes a level of the last picture, and nothing else.
  func show(micDBFS: Double) {
    show { content in
      guard let former = content.picture else { return nil }
      var levels = NodeLevels(former.document.status)
      levels.micDBFS = micDBFS
      let picture = NodePicture(former.document, levels, after: former)
      return picture
    }
  }

  /// The node ends.
  func end() {
    let followers = content.withLock { content in
      content.isGone = true
      return content.followers.values
    }
    for follower in followers { follower.finish() }
  }
}

/// A subscriber that holds the document as a page would: `ok`, then merge patches.
final class Viewer {
  let client: RawClient
  private(set) var document = JSONTree.object([:])
  private(set) var lines = 0

  /// Asks; what was answered is ``answer``.
  init(_ path: String, levels: Bool = true) throws {
    client = try RawClient(path)
    client.send(#"{"request":"subscribe","levels":\#(levels)}"# + "\n")
    answer = client.line()
  }

  let answer: String?

  /// Takes the next line; nil at the end of the connection.
  @discardableResult
  func next() throws -> JSONTree? {
    guard let line = client.line() else { return nil }
    lines += 1
    let patch = try JSONLine.decode(JSONTree.self, from: Array(line.utf8))
    document.merge(patch)
    return patch
  }

  /// Takes lines until the node is up for so long.
  func read(untilUptime seconds: Double) throws {
    while uptime != seconds { guard try next() != nil else { return } }
  }

  var uptime: Double? {
    switch document["node"]?["uptimeSeconds"] {
    case .number(let seconds): seconds
    case .integer(let seconds): Double(seconds)
    default: nil
    }
  }
}
