import Audio

/// Ports of peers that a standstill of this node's own has cost it: left where they are for those who come back by their names.
///
/// While a process is stopped (SIGSTOP, a debugger, a container frozen) its JACK server has an xrun to tell each period, and
/// jackd may leave calls without an answer for 30 s and more when it goes on. A port that need not be asked for is there at
/// once, with what the user connected to it.
///
/// Loop thread only.
struct KeptPorts {
  /// The loop wakes each 50 ms; what stops it for so long has cost peers, or soon will.
  static let standstillNanoseconds: Int64 = 2_000_000_000
  /// A peer that has not come back by then is gone.
  static let keptNanoseconds: Int64 = 10_000_000_000

  private var names: [PeerSlot: String] = [:]
  private var wokenNanoseconds: Int64?
  private var endNanoseconds: Int64 = .min

  /// Takes in that the loop runs; each time that it looks after the house.
  mutating func look(nowNanoseconds: Int64) {
    if let woken = wokenNanoseconds, nowNanoseconds - woken > Self.standstillNanoseconds {
      endNanoseconds = nowNanoseconds + Self.keptNanoseconds
    }
    wokenNanoseconds = nowNanoseconds
  }

  /// Leaves a port that its peer has lost; false: it is nothing to leave.
  mutating func keep(_ slot: PeerSlot, name: String, nowNanoseconds: Int64) -> Bool {
    look(nowNanoseconds: nowNanoseconds)
    guard nowNanoseconds < endNanoseconds else { return false }
    names[slot] = name
    return true
  }

  /// The slot whose port has that name.
  func slot(named name: String) -> PeerSlot? { names.first { $0.value == name }?.key }

  /// Whether the slot's port waits for its peer.
  func contain(_ slot: PeerSlot) -> Bool { names[slot] != nil }

  /// The slot has a peer again.
  mutating func forget(_ slot: PeerSlot) { names[slot] = nil }

  /// All slots, once their time is over.
  mutating func takeExpired(nowNanoseconds: Int64) -> [PeerSlot] {
    guard !names.isEmpty, nowNanoseconds >= endNanoseconds else { return [] }
    defer { names.removeAll() }
    return Array(names.keys)
  }
}
