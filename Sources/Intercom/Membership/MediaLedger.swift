import Cryptography
import Mesh

/// What the media path should know of each member, and what it was told: which step brings it up to date.
///
/// However fast a member changes its mind, its name and its keys, one member is brought up to date after the other, and
/// each waits once at most: nothing grows.
struct MediaLedger {
  /// What the media path is to be told next of a node.
  enum Step {
    case expel(saidGoodbye: Bool)
    case freeName
    case admit(Member)
    case tell(StreamNews)
  }

  /// Most keys of a stream that wait to be taken: the one in use and the next.
  private static let mostKeys = 2

  /// A member as it should be known, or is.
  private struct Entry {
    /// Which admission it is: a member that left and came back begins anew.
    let admission: UInt64
    var member: Member
    /// What was said of its streams and not taken yet, the oldest first.
    var news: [StreamNews] = []
    /// Whether the user was notified of an invalid key.
    var isFaultTold = false

    mutating func add(_ next: StreamNews) {
      let waiting = news.filter { $0.stream == next.stream }
      if case .end = next {
        news.removeAll { $0.stream == next.stream }
      } else if waiting.count >= MediaLedger.mostKeys,
        let oldest = news.firstIndex(where: { $0.stream == next.stream && !$0.isEnd })
      {
        news.remove(at: oldest)
      }
      news.append(next)
    }
  }

  private var wanted: [NodeID: Entry] = [:]
  private var applied: [NodeID: Entry] = [:]
  /// Members for whom there was no place.
  private var refused: Set<NodeID> = []
  /// Who left with a goodbye, until the media path knows.
  private var farewells: Set<NodeID> = []
  /// Whose names others may have, until the media path knows.
  private var freedNames: Set<NodeID> = []
  private var admissionCount: UInt64 = 0
  /// How often the media path was to be told of somebody, how often it was, and who waits for that.
  private var (outdatedCount, doneCount) = (0, 0)
  private var waiters: [(count: Int, answer: CheckedContinuation<Void, Never>)] = []
  /// Whom the media path does not know rightly, each once; ends with ``finish()``.
  let outdatedNodes: AsyncStream<NodeID>
  private let queue: AsyncStream<NodeID>.Continuation
  private var outdated: Set<NodeID> = []

  init() { (outdatedNodes, queue) = AsyncStream.makeStream() }

  /// A node is a member, or tells something else of itself.
  mutating func admit(_ member: Member) {
    if wanted[member.node] == nil {
      admissionCount += 1
      wanted[member.node] = Entry(admission: admissionCount, member: member)
    }
    wanted[member.node]?.member = member
    bringUpToDate(member.node)
  }

  /// The member that a node is.
  func member(_ node: NodeID) -> Member? { wanted[node]?.member }

  /// A node is a member no more.
  mutating func expel(_ node: NodeID, saidGoodbye: Bool) {
    wanted[node] = nil
    if saidGoodbye { farewells.insert(node) }
    bringUpToDate(node)
  }

  /// A member says something of its streams: of too many keys the oldest is dropped, an end ends those before it.
  mutating func add(_ news: StreamNews, of node: NodeID) {
    wanted[node]?.add(news)
    bringUpToDate(node)
  }

  /// Others may have a node's name, unless it is a member.
  mutating func freeName(of node: NodeID) {
    freedNames.insert(node)
    bringUpToDate(node)
  }

  private mutating func bringUpToDate(_ node: NodeID) {
    guard outdated.insert(node).inserted, case .enqueued = queue.yield(node) else { return }
    outdatedCount += 1
  }

  /// A node is about to be brought up to date.
  mutating func begin(_ node: NodeID) {
    outdated.remove(node)
    refused.remove(node)
  }

  /// What the media path is to be told next of a node; it counts as told.
  mutating func next(for node: NodeID) -> Step? {
    let saidGoodbye = farewells.remove(node) != nil
    if let told = applied[node], wanted[node]?.admission != told.admission {
      applied[node] = nil
      // There is a place soon.
      for waiting in refused { bringUpToDate(waiting) }
      return .expel(saidGoodbye: saidGoodbye)
    }
    let isNameFreed = freedNames.remove(node) != nil
    guard let entry = wanted[node] else { return isNameFreed ? .freeName : nil }
    guard !refused.contains(node) else { return nil }
    if applied[node]?.member != entry.member {
      applied[node] = entry
      return .admit(entry.member)
    }
    guard let news = entry.news.first else { return nil }
    wanted[node]?.news.removeFirst()
    return .tell(news)
  }

  /// There was no place for a member.
  mutating func refuse(_ node: NodeID) {
    applied[node] = nil
    refused.insert(node)
  }

  /// A key of a member is of no use.
  ///
  /// - Returns: its name, where the user has yet to be told: once an admission, as a member may send what it likes.
  mutating func takeFault(of node: NodeID) -> String? {
    guard let entry = wanted[node], !entry.isFaultTold else { return nil }
    wanted[node]?.isFaultTold = true
    return entry.member.profile.name
  }

  /// A node was brought up to date.
  mutating func end() {
    doneCount += 1
    while let first = waiters.first, first.count <= doneCount {
      waiters.removeFirst().answer.resume()
    }
  }

  /// Answers as soon as the media path has all decisions so far.
  mutating func wait(_ answer: CheckedContinuation<Void, Never>) {
    guard doneCount < outdatedCount else { return answer.resume() }
    waiters.append((outdatedCount, answer))
  }

  /// Nobody is brought up to date any more who is not yet to be.
  func finish() { queue.finish() }
}

/// What a member says of a stream of its own.
enum StreamNews: Sendable {
  case key(MediaKey)
  case end(Int)

  /// Which stream it is of.
  var stream: Int {
    switch self {
    case .key(let key): key.stream
    case .end(let stream): stream
    }
  }

  var isEnd: Bool {
    if case .end = self { true } else { false }
  }
}
