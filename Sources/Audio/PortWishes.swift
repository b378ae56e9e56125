/// The ports that the peers are to have, and those of them that JACK refuses, which are asked for again from time to time.
///
/// A pure value: wishes, answers and times in, what to ask for out.
struct PortWishes {
  /// From a refusal to the next try; each costs jackd a look through its ports and a line of its log.
  static let retryNanoseconds: Int64 = 10_000_000_000

  private var names: [PeerSlot: String] = [:]
  private(set) var refused: Set<PeerSlot> = []
  private var retryAtNanoseconds: Int64 = 0

  /// Takes in what a slot's port is to be called, which is then to be asked for; nil: it is to have none.
  mutating func wish(_ portName: String?, for slot: PeerSlot) {
    if portName == nil { refused.remove(slot) }
    names[slot] = portName
  }

  /// Takes in JACK's answer; returns whether it is a refusal that is news.
  mutating func settle(_ slot: PeerSlot, isRefused: Bool, nowNanoseconds: Int64) -> Bool {
    guard isRefused else {
      refused.remove(slot)
      return false
    }
    retryAtNanoseconds = nowNanoseconds + Self.retryNanoseconds
    return refused.insert(slot).inserted
  }

  /// All that is wished, in the order of the slots: for a server that knows of none of it.
  var all: [(slot: PeerSlot, portName: String)] {
    names.sorted { $0.key.index < $1.key.index }.map { (slot: $0.key, portName: $0.value) }
  }

  /// What JACK refused and is to be asked for now.
  func due(nowNanoseconds: Int64) -> [(slot: PeerSlot, portName: String)] {
    guard !refused.isEmpty, nowNanoseconds >= retryAtNanoseconds else { return [] }
    return all.filter { refused.contains($0.slot) }
  }
}
