package import NIOCore
package import Remote
package import ServiceLoop
package import StatusSchema

/// Somebody who follows a node's changes; on the loop of its ``ChangesFeed``.
package protocol ChangesReader: AnyObject {
  /// There is a new picture of the node.
  func offer()
  /// Nothing more is to be told.
  func close()
}

/// Who subscribes to a node's changes at one door, and what they are shown.
///
/// Lives on the door's loop. It follows the node's pictures while there is somebody to show them to, and looks at their
/// levels 20 times a second. A patch that several subscribers need is made and written down once.
package final class ChangesFeed {
  /// Where the changes come from, and what the door adds.
  package struct Source: Sendable {
    /// The way onto the door's loop.
    package var gate: LoopGate
    /// The node's pictures for one follower; nil: there is no node to show.
    package var pictures: @Sendable () -> AsyncStream<NodePicture>?
    /// Figures of a control socket, to be told as part of the node; nil: the door is none.
    package var figures: (@Sendable () -> ControlStatus)?
    /// Told how many readers there are, whenever that changes.
    package var count: @Sendable (Int) -> Void
    /// Makes of a line what goes to a reader, once for all that need it.
    package var pack: @Sendable ([UInt8]) -> ByteBuffer

    /// A source of these.
    package init(
      gate: LoopGate, pictures: @escaping @Sendable () -> AsyncStream<NodePicture>?,
      figures: (@Sendable () -> ControlStatus)? = nil,
      count: @escaping @Sendable (Int) -> Void = { _ in },
      pack: @escaping @Sendable ([UInt8]) -> ByteBuffer = { ByteBuffer(bytes: $0) }
    ) {
      self.gate = gate
      self.pictures = pictures
      self.figures = figures
      self.count = count
      self.pack = pack
    }
  }

  private struct Step: Hashable {
    var former: UInt64?
    var levels: LevelForm
  }

  /// From one look at the levels to the next.
  private static let lookInterval = TimeAmount.milliseconds(50)

  private let source: Source
  private var subscribers: [ObjectIdentifier: any ChangesReader] = [:]
  private var following: Task<Void, Never>?
  private var looks: RepeatedTask?
  /// Which task's pictures count: one that was cancelled may still bring some.
  private var round: UInt64 = 0
  private var latest: NodePicture?
  /// The figures of this socket that `latest` has.
  private var control: ControlStatus?
  /// Lines that lead to `latest`, as they are sent; nil: nothing is to be told.
  private var lines: [Step: ByteBuffer?] = [:]

  /// Nobody follows yet.
  package init(_ source: Source) { self.source = source }

  /// From now on the client is offered each picture; false where the node has none to show.
  package func add(_ client: some ChangesReader, on loop: any EventLoop) -> Bool {
    guard following != nil || follow(on: loop) else { return false }
    subscribers[ObjectIdentifier(client)] = client
    source.count(subscribers.count)
    return true
  }

  /// Does nothing for one that did not subscribe.
  package func remove(_ client: some ChangesReader) {
    guard subscribers.removeValue(forKey: ObjectIdentifier(client)) != nil else { return }
    source.count(subscribers.count)
    guard subscribers.isEmpty else { return }
    following?.cancel()
    looks?.cancel()
    (following, looks, latest, lines) = (nil, nil, nil, [:])
  }

  /// The line that brings somebody who has seen the former picture up to date, as it is sent.
  ///
  /// - Returns: the newest picture, and no line where nothing is to be told; nil: there is no picture yet.
  func line(
    after former: NodePicture?, levels form: LevelForm
  ) -> (picture: NodePicture, line: ByteBuffer?)? {
    guard let latest else { return nil }
    let step = Step(former: former?.number, levels: form)
    if let line = lines[step] { return (latest, line) }
    let line = latest.line(from: former, levels: form).map(source.pack)
    lines[step] = .some(line)
    return (latest, line)
  }

  private func follow(on loop: any EventLoop) -> Bool {
    guard let pictures = source.pictures() else { return false }
    round &+= 1
    let (gate, round) = (source.gate, round)
    let feed = NIOLoopBound(self, eventLoop: loop)
    following = Task(executorPreference: gate) {
      for await picture in pictures {
        guard gate.isOnLoop else { break }
        feed.value.show(picture, round)
      }
      gate.run { feed.value.end(round) }
    }
    let interval = Self.lookInterval
    looks = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      feed.value.look()
    }
    return true
  }

  private func show(_ picture: NodePicture, _ round: UInt64) {
    guard round == self.round, !subscribers.isEmpty else { return }
    // The figures of this socket change with each line of each client: they come along with what else changed.
    let isNew = latest?.documentNumber != picture.documentNumber
    if isNew { control = source.figures?() }
    latest = (control.map(picture.adding) ?? picture).numbered(after: latest)
    offer()
  }

  /// Levels are looked at here, which needs no other thread to wake.
  private func look() {
    guard let next = latest?.next() else { return }
    latest = next
    offer()
  }

  private func offer() {
    lines.removeAll(keepingCapacity: true)
    for subscriber in subscribers.values { subscriber.offer() }
  }

  /// The node ends, and with it what there is to tell.
  private func end(_ round: UInt64) {
    guard round == self.round else { return }
    for subscriber in subscribers.values { subscriber.close() }
  }
}
