/// One effort to reach a peer, over all its addresses.
struct Attempt {
  struct Dial {
    let id: AttemptID
    let address: NodeAddress
  }

  /// Addresses not tried yet, the best last.
  private(set) var remaining: [NodeAddress] = []
  /// How many there were.
  private var addressCount = 0
  /// What is under way.
  var dials: [Dial] = []
  /// When the next address is tried beside those.
  var nextAddressNanoseconds: Int64 = .max
  /// When this stage has taken too long.
  var deadlineNanoseconds: Int64
  /// When everything has taken too long.
  let watchdogNanoseconds: Int64
  var progress: DialProgress
  /// Once there is one.
  var connection: ConnectionID?

  /// At the beginning, or for one whose connection is there.
  init(
    deadlineNanoseconds: Int64, watchdogNanoseconds: Int64, progress: DialProgress,
    connection: ConnectionID? = nil
  ) {
    self.deadlineNanoseconds = deadlineNanoseconds
    self.watchdogNanoseconds = watchdogNanoseconds
    self.progress = progress
    self.connection = connection
  }

  /// Tries these from now on, the first first.
  mutating func take(_ addresses: [NodeAddress]) {
    remaining = addresses.reversed()
    addressCount = addresses.count
  }

  /// The next address to try.
  mutating func nextAddress() -> NodeAddress? { remaining.popLast() }

  /// The progress while no connection is there.
  var connecting: DialProgress {
    .connecting(address: addressCount - remaining.count, of: addressCount)
  }
}

/// The dials under way, and whose they are.
struct DialTable {
  private var peers: [AttemptID: Peer] = [:]
  private var lastNumber: UInt64 = 0

  /// Whose dial it is; nil: it is over.
  subscript(id: AttemptID) -> Peer? { peers[id] }

  /// Numbers a dial of a peer's.
  mutating func begin(for peer: Peer) -> AttemptID {
    lastNumber += 1
    let id = AttemptID(rawValue: lastNumber)
    peers[id] = peer
    return id
  }

  /// Ends a dial; tells whose it was.
  @discardableResult
  mutating func end(_ id: AttemptID) -> Peer? { peers.removeValue(forKey: id) }
}

/// When a peer is called next: how often it failed, and how lately a sign of life ended the wait.
struct BackOff {
  private(set) var failureCount = 0
  /// When the next attempt begins; `max`: not planned.
  private(set) var nextNanoseconds: Int64 = .max
  private var proofNanoseconds: Int64 = .min / 2
  private var gossipProofNanoseconds: Int64 = .min / 2

  var isPlanned: Bool { nextNanoseconds != .max }

  mutating func plan(atNanoseconds nanoseconds: Int64) { nextNanoseconds = nanoseconds }

  mutating func cancel() { nextNanoseconds = .max }

  mutating func bringForward(toNanoseconds nanoseconds: Int64) {
    nextNanoseconds = min(nextNanoseconds, nanoseconds)
  }

  /// One more failure in a row; true with every fifth.
  mutating func countFailure() -> Bool {
    failureCount = min(failureCount + 1, Int(Int32.max))
    return failureCount % MeshTimes.failuresToRebuild == 0
  }

  mutating func forgetFailures() { failureCount = 0 }

  /// Takes a sign of life, that the peer gave itself; false so soon after the last one.
  mutating func takeProof(_ now: Int64) -> Bool {
    guard now - proofNanoseconds >= MeshTimes.proofNanoseconds else { return false }
    proofNanoseconds = now
    return true
  }

  /// Likewise of what others tell.
  mutating func takeGossipProof(_ now: Int64) -> Bool {
    guard now - gossipProofNanoseconds >= MeshTimes.gossipProofNanoseconds else { return false }
    gossipProofNanoseconds = now
    return true
  }

  /// Others tell of it for the first time.
  mutating func noteGossipProof(_ now: Int64) { gossipProofNanoseconds = now }

  /// How long to wait after so many failures in a row.
  ///
  /// - Parameters:
  ///   - isWaiting: the other side is to dial.
  ///   - jitter: a uniform number up to a limit.
  static func wait(
    after failureCount: Int, isWaiting: Bool, jitter: (Int64) -> Int64
  ) -> Int64 {
    let factor = isWaiting ? MeshTimes.waitingFactor : 1
    guard failureCount > 0 else {
      let base = isWaiting ? MeshTimes.dialNanoseconds * factor : 0
      return base + jitter(MeshTimes.spreadNanoseconds)
    }
    let base = MeshTimes.backOffNanoseconds << Int64(min(failureCount - 1, 6))
    let longest = min(base * factor, MeshTimes.longestBackOffNanoseconds)
    return longest - jitter(longest / 4)
  }
}
