internal import NIOCore
internal import Remote
internal import ServiceLoop
internal import StatusSchema

/// Who subscribes to a node's changes at one control socket, and what they are shown.
///
/// Lives on the server's loop. It follows the node's pictures while there is somebody to show them to. A patch that
/// several subscribers need is made and written down once.
final class ChangesFeed {
  private struct Step: Hashable {
    var former: UInt64?
    var hasLevels: Bool
  }

  private let service: ControlService
  private var subscribers: [ObjectIdentifier: ControlClientHandler] = [:]
  private var following: Task<Void, Never>?
  /// Which task's pictures count: one that was cancelled may still bring some.
  private var round: UInt64 = 0
  private var latest: NodePicture?
  /// The figures of this socket that `latest` has.
  private var control = ControlStatus()
  /// Lines that lead to `latest`; nil: nothing is to be told.
  private var lines: [Step: ByteBuffer?] = [:]

  init(_ service: ControlService) { self.service = service }

  /// From now on the client is offered each picture; false where the node has none to show.
  func add(_ client: ControlClientHandler, on loop: any EventLoop) -> Bool {
    guard following != nil || follow(on: loop) else { return false }
    subscribers[ObjectIdentifier(client)] = client
    service.count { $0.subscribers = subscribers.count }
    return true
  }

  /// Does nothing for one that did not subscribe.
  func remove(_ client: ControlClientHandler) {
    guard subscribers.removeValue(forKey: ObjectIdentifier(client)) != nil else { return }
    service.count { $0.subscribers = subscribers.count }
    guard subscribers.isEmpty else { return }
    following?.cancel()
    (following, latest, lines) = (nil, nil, [:])
  }

  /// The line that brings somebody who has seen the former picture up to date.
  ///
  /// - Returns: the newest picture, and no line where nothing is to be told; nil: there is no picture yet.
  func line(
    after former: NodePicture?, withLevels: Bool
  ) -> (picture: NodePicture, line: ByteBuffer?)? {
    guard let latest else { return nil }
    let step = Step(former: former?.number, hasLevels: withLevels)
    if let line = lines[step] { return (latest, line) }
    let line = latest.line(from: former, withLevels: withLevels).map { ByteBuffer(bytes: $0) }
    lines[step] = .some(line)
    return (latest, line)
  }

  private func follow(on loop: any EventLoop) -> Bool {
    guard let pictures = service.pictures() else { return false }
    round &+= 1
    let (gate, round) = (service.gate, round)
    let feed = NIOLoopBound(self, eventLoop: loop)
    following = Task {
      for await picture in pictures {
        gate.run { feed.value.show(picture, round) }
      }
      gate.run { feed.value.end(round) }
    }
    return true
  }

  private func show(_ picture: NodePicture, _ round: UInt64) {
    guard round == self.round, !subscribers.isEmpty else { return }
    // The figures of this socket change with each line of each client: they come along with what else changed.
    let isNew = latest?.documentNumber != picture.documentNumber
    if isNew { control = service.counters }
    latest = picture.adding(control)
    lines.removeAll(keepingCapacity: true)
    for subscriber in subscribers.values { subscriber.offer() }
  }

  /// The node ends, and with it what there is to tell.
  private func end(_ round: UInt64) {
    guard round == self.round else { return }
    for subscriber in subscribers.values { subscriber.close() }
  }
}
