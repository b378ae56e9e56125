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
