/// One effort to reach a peer, over all its addresses.
struct Attempt {
  struct Dial {
    let id: AttemptID
    let address: NodeAddress
  }

  /// Addresses not tried yet, the best last.
  var remaining: [NodeAddress]
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
}
