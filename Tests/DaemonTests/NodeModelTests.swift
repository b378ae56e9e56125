import Foundation
import Intercom
import StatusSchema
import Synchronization
import Testing

@testable import NodeDaemon
@testable import Remote

/// The model that `status`, `subscribe` and `/metrics` are views of; a test turns its clock.
@Suite(.timeLimit(.minutes(1))) struct NodeModelTests {
  /// A node that counts how often it is looked at, and whose clock a test turns.
  private final class Node: Sendable {
    private struct Content {
      var talk = false
      var revision: UInt64 = 0
      var (looks, levelLooks) = (0, 0)
      var waiting: CheckedContinuation<Void, Never>?
      var isFree = false
    }

    private let content = Mutex(Content())

    var looks: Int { content.withLock { $0.looks } }
    var levelLooks: Int { content.withLock { $0.levelLooks } }

    func talk(_ isOn: Bool, isNoted: Bool) {
      content.withLock {
        $0.talk = isOn
        if isNoted { $0.revision += 1 }
      }
    }

    func model() -> NodeModel {
      let look = NodeModel.Look {
        self.content.withLock { content in
          content.looks += 1
          var status = TickingNode().status
          status.node.talk = content.talk
          status.node.uptimeSeconds = Double(content.looks)
          return status
        }
      } revision: {
        self.content.withLock { $0.revision }
      } levels: {
        self.content.withLock { $0.levelLooks += 1 }
        return .silent
      }
      return NodeModel(look) { await self.pause() }
    }

    /// Waits until the model has looked and waits for its next turn, then lets it look once more.
    func turn(_ count: Int = 1) async {
      for _ in 0..<count {
        while true {
          let waiting = content.withLock { $0.waiting.take() }
          if let waiting {
            waiting.resume()
            break
          }
          await Task.yield()
        }
      }
      await settle()
    }

    /// Waits until the model waits.
    func settle() async {
      while content.withLock({ $0.waiting == nil }) { await Task.yield() }
    }

    private func pause() async {
      await withCheckedContinuation { continuation in
        let isFree = content.withLock { content in
          if !content.isFree { content.waiting = continuation }
          return content.isFree
        }
        if isFree { continuation.resume() }
      }
    }

    /// Nobody waits any more.
    func free() {
      let waiting = content.withLock { content in
        content.isFree = true
        return content.waiting.take()
      }
      waiting?.resume()
    }
  }

  private let node = Node()

  private static func talk(_ picture: NodePicture?) -> Bool? { picture?.document.status.node.talk }

  @Test func `while nobody follows, nobody is looked at`() async {
    let model = node.model()
    #expect(node.looks == 0)
    #expect(await model.status().node.name == "stage")
    #expect(node.looks == 1)
    #expect(node.levelLooks == 0)
  }

  @Test func `levels are looked at each turn, and everything else once in twenty`() async {
    let model = node.model()
    let pictures = model.pictures()
    await node.settle()
    #expect(node.looks == 1)
    await node.turn(NodeModel.steadyLooks - 1)
    #expect(node.looks == 1)
    #expect(node.levelLooks == NodeModel.steadyLooks)
    await node.turn()
    #expect(node.looks == 2)
    await node.turn(NodeModel.steadyLooks)
    #expect(node.looks == 3)
    node.free()
    withExtendedLifetime(pictures) {}
    await model.end()
  }

  @Test(arguments: [true, false])
  func `a change is seen at the next turn, and many in one turn are one look`(
    isNoted: Bool
  ) async {
    let model = node.model()
    let pictures = model.pictures()
    await node.settle()
    #expect(node.looks == 1)
    node.talk(true, isNoted: isNoted)
    if !isNoted { model.touch() }
    await node.turn()
    #expect(node.looks == 2)
    for await picture in pictures {
      #expect(Self.talk(picture) == true)
      break
    }
    node.free()
    await model.end()
  }

  @Test func `changes that go on are seen at each turn at first, and at last four times a second`()
    async
  {
    let model = node.model()
    let pictures = model.pictures()
    await node.settle()
    await node.turn(NodeModel.steadyLooks)
    let looks = node.looks
    var seenAt: [Int] = []
    for turn in 1...60 {
      for _ in 0..<5 { node.talk(turn.isMultiple(of: 2), isNoted: true) }
      await node.turn()
      if node.looks > looks + seenAt.count { seenAt.append(turn) }
    }
    // Those saved, one turn after the other; then each when five turns have earned it.
    let saved = (NodeModel.hastyLooks * NodeModel.mostHastyLooks - 1) / (NodeModel.hastyLooks - 1)
    #expect(Array(seenAt.prefix(saved)) == Array(1...saved))
    let later = seenAt.dropFirst(saved)
    #expect(zip(later, later.dropFirst()).allSatisfy { $1 - $0 == NodeModel.hastyLooks })
    #expect(later.count >= 6)
    // Quiet again: what is owed is seen, and one change at the next turn.
    await node.turn(2 * NodeModel.steadyLooks)
    let quiet = node.looks
    node.talk(true, isNoted: true)
    await node.turn()
    #expect(node.looks == quiet + 1)
    node.free()
    withExtendedLifetime(pictures) {}
    await model.end()
  }

  @Test func `any number follow, each gets the newest, and who is late gets no backlog`() async {
    let model = node.model()
    let all = (0..<50).map { _ in model.pictures() }
    await node.settle()
    for turn in 1...10 {
      node.talk(turn % 2 == 0, isNoted: true)
      await node.turn(NodeModel.hastyLooks)
    }
    for pictures in all {
      var iterator = pictures.makeAsyncIterator()
      let newest = await iterator.next()
      #expect(Self.talk(newest) == true)
      #expect(newest?.document.status.node.uptimeSeconds == 11)
    }
    node.free()
    await model.end()
  }

  @Test func `when the last follower goes it looks no more, and for the next it looks anew`()
    async
  {
    let model = node.model()
    do {
      var iterator = model.pictures().makeAsyncIterator()
      #expect(Self.talk(await iterator.next()) == false)
    }
    node.talk(true, isNoted: false)
    // The stream is gone; the model hears of it some time later.
    while await model.isFollowed { await Task.yield() }
    let looks = node.looks
    node.free()
    for _ in 0..<1000 { await Task.yield() }
    #expect(node.looks == looks)
    var iterator = model.pictures().makeAsyncIterator()
    #expect(Self.talk(await iterator.next()) == true)
    await model.end()
  }

  @Test func `without a test's clock it looks on a thread of its own, as long as somebody follows`()
    async
  {
    let names = Mutex<Set<String>>([])
    let model = NodeModel(
      NodeModel.Look {
        let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        names.withLock { _ = $0.insert(comm ?? "") }
        return TickingNode().status
      } revision: {
        0
      } levels: {
        .silent
      })
    for _ in 0..<3 {
      for await picture in model.pictures() {
        #expect(picture.document.status.node.name == "stage")
        break
      }
      while await model.isFollowed { await Task.yield() }
    }
    #expect(names.withLock { $0 } == ["comlink-model\n"])
    await model.end()
  }

  @Test func `at its end all streams end, later ones at once`() async {
    let model = node.model()
    let pictures = model.pictures()
    await node.settle()
    node.free()
    await model.end()
    var count = 0
    for await _ in pictures { count += 1 }
    #expect(count <= 1)
    for await _ in model.pictures() { Issue.record("a picture after the end") }
  }
}
