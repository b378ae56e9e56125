internal import Cryptography

/// Members that are on: what each is to be told, and who of them keeps this node's messages.
struct Company {
  private var posts: [NodeID: PeerPost] = [:]
  private(set) var keepers: [NodeID] = []
  private var woken: Set<NodeID> = []

  /// What is to be told to a member; nil: it is not on.
  subscript(node: NodeID) -> PeerPost? {
    get { posts[node] }
    set { posts[node] = newValue }
  }

  var nodes: Set<NodeID> { Set(posts.keys) }

  func has(_ node: NodeID) -> Bool { posts[node] != nil }

  /// Members that there may be something for since the last call.
  mutating func takeWoken() -> Set<NodeID> {
    defer { woken = [] }
    return woken
  }

  mutating func join(_ node: NodeID, owing receipts: [ReceiptName]) {
    var post = PeerPost()
    receipts.forEach { post.owe($0) }
    posts[node] = post
    wake(node)
  }

  /// - Returns: whether it was on.
  mutating func leave(_ node: NodeID) -> Bool {
    guard posts.removeValue(forKey: node) != nil else { return false }
    woken.remove(node)
    keepers.removeAll { $0 == node }
    return true
  }

  mutating func wake(_ node: NodeID) {
    if posts[node] != nil { woken.insert(node) }
  }

  mutating func owe(_ receipt: ReceiptName, to node: NodeID) {
    posts[node]?.owe(receipt)
    wake(node)
  }

  /// All are told who this node is.
  mutating func oweCards() {
    for node in posts.keys {
      posts[node]?.owesCard = true
      wake(node)
    }
  }

  /// There is something new of a sender for a member.
  mutating func unblock(_ sender: NodeID, for node: NodeID) {
    posts[node]?.unblock(sender)
    wake(node)
  }

  /// Members that are on keep what somebody who is away does not have.
  ///
  /// - Parameters:
  ///   - own: what this node holds of its own.
  ///   - knows: whether a node can keep.
  mutating func chooseKeepers(
    of own: [HeldEnvelope], knows: (NodeID) -> Bool, nowNanoseconds now: Int64
  ) {
    keepers.removeAll { posts[$0]?.keeps(nowNanoseconds: now) != true }
    func isWanted(_ held: HeldEnvelope) -> Bool { held.remaining.contains { posts[$0] == nil } }
    for held in own where isWanted(held) { held.readers.forEach { wake($0) } }
    guard own.contains(where: { $0.readers.isEmpty && isWanted($0) }) else { return }
    let able = posts.filter { node, post in
      !keepers.contains(node) && knows(node) && post.keeps(nowNanoseconds: now)
    }
    keepers += able.keys.sorted().prefix(max(0, MessageLimits.keepers - keepers.count))
    keepers.forEach { wake($0) }
  }

  /// Whether a node is to keep something for those who are away.
  func keeps(
    _ held: HeldEnvelope, _ node: NodeID, knows: (NodeID) -> Bool, nowNanoseconds now: Int64
  ) -> Bool {
    guard !held.readers.isEmpty else { return keepers.contains(node) }
    let able = held.readers.filter {
      knows($0) && posts[$0]?.keeps(nowNanoseconds: now) == true
    }
    return able.prefix(MessageLimits.keepers).contains(node)
  }

  var retryDeadlineNanoseconds: Int64 {
    posts.values.reduce(Int64.max) { min($0, $1.retryDeadlineNanoseconds) }
  }

  /// Time passed: what was handed over in vain is handed over again.
  ///
  /// - Parameter isHolding: whether there is anything to hand over.
  mutating func tick(isHolding: Bool, nowNanoseconds now: Int64) {
    for (node, post) in posts where post.isOverdue(nowNanoseconds: now) {
      posts[node]?.beginAgain()
      wake(node)
    }
    for node in posts.keys {
      // Else a sender of whom nothing is held any more would be due for ever.
      posts[node]?.lapse(nowNanoseconds: now)
      if isHolding { wake(node) }
    }
  }
}
