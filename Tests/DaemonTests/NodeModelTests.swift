import Intercom
import StatusSchema
import Synchronization
import Testing

@testable import NodeDaemon
@testable import Remote

/// The model that `status`, `subscribe` and `/metrics` are views of; a test turns its clock.
@Suite(.timeLimit(.minutes(1))) struct NodeModelTests {
  /// A node that counts how often it is looked at.
  private final class Node: Sendable {
    private struct Content {
      var talk = false
      var revision: UInt64 = 0
      var (looks, levelLooks) = (0, 0)
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
      return NodeModel(look)
    }
  }

  /// Who follows a model, and looks at the levels when a test says so.
  private final class Follower {
    private let model: NodeModel
    private let node: Node
    private var pictures: AsyncStream<NodePicture>.Iterator
    private(set) var picture: NodePicture?

    init(_ model: NodeModel, _ node: Node) async {
      (self.model, self.node) = (model, node)
      pictures = model.pictures().makeAsyncIterator()
      await take()
      await rest()
    }

    /// The look is over only after its pictures were handed over.
    private func rest() async { while model.isLooking { await Task.yield() } }

    private func take() async {
      var pictures = pictures
      picture = await pictures.next()
      self.pictures = pictures
    }

    /// Looks, and waits for what the model looks at then.
    func turn(_ count: Int = 1) async {
      for _ in 0..<count {
        let looks = node.looks
        #expect(picture?.next() == nil, "silence goes on")
        await rest()
        if node.looks > looks { await take() }
      }
    }

    var talk: Bool? { picture?.document.status.node.talk }
  }

  private let node = Node()

  @Test func `while nobody follows, nobody is looked at`() async {
    let model = node.model()
    #expect(node.looks == 0)
    #expect(await model.status().node.name == "stage")
    #expect(node.looks == 1)
    #expect(node.levelLooks == 0)
  }

  @Test func `levels are looked at each turn, and everything else once in twenty`() async {
    let follower = await Follower(node.model(), node)
    #expect(node.looks == 1)
    let before = node.levelLooks
    await follower.turn(NodeModel.steadyLooks - 1)
    #expect(node.looks == 1)
    #expect(node.levelLooks == before + NodeModel.steadyLooks - 1)
    await follower.turn()
    #expect(node.looks == 2)
    await follower.turn(NodeModel.steadyLooks)
    #expect(node.looks == 3)
  }

  @Test(arguments: [true, false])
  func `a change is seen at the next turn, and many in one turn are one look`(
    isNoted: Bool
  ) async {
    let model = node.model()
    let follower = await Follower(model, node)
    #expect(node.looks == 1)
    for _ in 0..<5 {
      node.talk(true, isNoted: isNoted)
      if !isNoted { model.touch() }
    }
    await follower.turn()
    #expect(node.looks == 2)
    #expect(follower.talk == true)
  }

  @Test func `changes that go on are seen at each turn at first, and at last four times a second`()
    async
  {
    let follower = await Follower(node.model(), node)
    await follower.turn(NodeModel.steadyLooks)
    let looks = node.looks
    var seenAt: [Int] = []
    for turn in 1...60 {
      for _ in 0..<5 { node.talk(turn.isMultiple(of: 2), isNoted: true) }
      await follower.turn()
      if node.looks > looks + seenAt.count { seenAt.append(turn) }
    }
    // Those saved, one turn after the other; then each when five turns have earned it.
    let saved = (NodeModel.hastyLooks * NodeModel.mostHastyLooks - 1) / (NodeModel.hastyLooks - 1)
    #expect(Array(seenAt.prefix(saved)) == Array(1...saved))
    let later = seenAt.dropFirst(saved)
    #expect(zip(later, later.dropFirst()).allSatisfy { $1 - $0 == NodeModel.hastyLooks })
    #expect(later.count >= 6)
    // Quiet again: what is owed is seen, and one change at the next turn.
    await follower.turn(2 * NodeModel.steadyLooks)
    let quiet = node.looks
    node.talk(true, isNoted: true)
    await follower.turn()
    #expect(node.looks == quiet + 1)
  }

  @Test func `any number follow, each gets the newest, and who is late gets no backlog`() async {
    let model = node.model()
    let first = await Follower(model, node)
    let all = (0..<50).map { _ in model.pictures() }
    for turn in 1...10 {
      node.talk(turn % 2 == 0, isNoted: true)
      await first.turn(NodeModel.hastyLooks)
    }
    for pictures in all {
      var iterator = pictures.makeAsyncIterator()
      let newest = await iterator.next()
      #expect(newest?.document.status.node.talk == true)
      #expect(newest?.document.status.node.uptimeSeconds == 11)
    }
  }

  @Test func `of several who follow the quickest counts, and when he goes another`() async {
    let model = node.model()
    var quick: Follower? = await Follower(model, node)
    let slow = await Follower(model, node)
    #expect(node.looks == 1, "who comes later gets what is known")
    await quick?.turn(NodeModel.steadyLooks - 1)
    node.talk(true, isNoted: true)
    await slow.turn(NodeModel.steadyLooks - 1)
    #expect(node.looks == 1, "these turns were counted")
    await slow.turn()
    #expect(node.looks == 2)
    await quick?.turn(10 * NodeModel.steadyLooks)
    let looks = node.looks
    quick = nil
    while model.followers > 1 { await Task.yield() }
    node.talk(false, isNoted: true)
    await slow.turn()
    #expect(node.looks == looks + 1)
    #expect(slow.talk == false)
  }

  @Test func `who is cancelled while pictures are handed over holds nobody up`() async {
    let model = node.model()
    for round in 0..<2000 {
      let follower = Task {
        for await picture in model.pictures() { for _ in 0..<40 { _ = picture.next() } }
      }
      for _ in 0..<round % 20 { await Task.yield() }
      follower.cancel()
      if round.isMultiple(of: 100) { await follower.value }
    }
    while model.followers > 0 || model.isLooking { await Task.yield() }
    #expect(await Follower(model, node).talk == false)
  }

  @Test func `when the last follower goes it looks no more, and for the next it looks anew`()
    async
  {
    let model = node.model()
    var follower: Follower? = await Follower(model, node)
    #expect(follower?.talk == false)
    let picture = follower?.picture
    follower = nil
    node.talk(true, isNoted: true)
    while model.followers > 0 { await Task.yield() }
    let looks = node.looks
    for _ in 0..<2 * NodeModel.steadyLooks { _ = picture?.next() }
    for _ in 0..<1000 { await Task.yield() }
    #expect(node.looks == looks)
    #expect(await Follower(model, node).talk == true)
  }

  @Test func `at its end all streams end, later ones at once`() async {
    let model = node.model()
    let follower = await Follower(model, node)
    let pictures = model.pictures()
    model.end()
    await follower.turn(2 * NodeModel.steadyLooks)
    #expect(node.looks == 1)
    var count = 0
    for await _ in pictures { count += 1 }
    #expect(count <= 1)
    for await _ in model.pictures() { Issue.record("a picture after the end") }
  }
}
