internal import Audio
internal import Synchronization

/// The ports that the peers, or buses, are to have, and those of them that JACK refuses, which are asked for again from
/// time to time.
///
/// A pure value: wishes, answers and times in, what to ask for out.
struct PortWishes<Owner: PortOwner> {
  /// From a refusal to the next try; each costs jackd a look through its ports and a line of its log.
  static var retryNanoseconds: Int64 { 10_000_000_000 }

  private var names: [Owner: String] = [:]
  private(set) var refused: Set<Owner> = []
  /// The full names of the ports, as set.
  var portNames: [Owner: String] = [:]
  private var retryAtNanoseconds: Int64 = 0

  /// Takes in what a slot's port is to be called, which is then to be asked for; nil: it is to have none.
  mutating func wish(_ portName: String?, for slot: Owner) {
    if portName == nil { refused.remove(slot) }
    names[slot] = portName
  }

  /// Takes in JACK's answer; returns whether it is a refusal that is news.
  mutating func settle(_ slot: Owner, isRefused: Bool, nowNanoseconds: Int64) -> Bool {
    guard isRefused else {
      refused.remove(slot)
      return false
    }
    retryAtNanoseconds = nowNanoseconds + Self.retryNanoseconds
    return refused.insert(slot).inserted
  }

  /// All that is wished, in the order of the slots: for a server that knows of none of it.
  var all: [(slot: Owner, portName: String)] {
    names.sorted { $0.key.index < $1.key.index }.map { (slot: $0.key, portName: $0.value) }
  }

  /// What JACK refused and is to be asked for now.
  func due(nowNanoseconds: Int64) -> [(slot: Owner, portName: String)] {
    guard !refused.isEmpty, nowNanoseconds >= retryAtNanoseconds else { return [] }
    return all.filter { refused.contains($0.slot) }
  }
}

/// Who has a port: a slot or a bus.
protocol PortOwner: Hashable {
  /// Its place in the order in which ports are asked for.
  var index: Int { get }
}

extension PeerSlot: PortOwner {}

extension MixBus: PortOwner {
  var index: Int { Int(number) }
}

/// What the session thread shall do with the port of a peer or a bus.
enum PortRequest: Hashable, Sendable {
  case set(PeerSlot, portName: String)
  case clear(PeerSlot)
  case setBus(MixBus, portName: String)
  case clearBus(MixBus)
  /// Whether there are to be MIDI ports.
  case setMIDI(Bool)
}

/// Requests from any thread to the session thread, kept in order; bounded.
final class PortRequestQueue: Sendable {
  /// Every slot set and cleared eight times over while JACK keeps the session thread waiting.
  static let capacity = 16 * PeerSlot.count

  private let requests = Mutex<[PortRequest]>([])

  /// Adds a request; false when the queue is full.
  func append(_ request: PortRequest) -> Bool {
    requests.withLock { requests in
      guard requests.count < Self.capacity else { return false }
      requests.append(request)
      return true
    }
  }

  /// Takes all requests, the oldest first.
  func takeAll() -> [PortRequest] {
    requests.withLock { requests in
      let taken = requests
      // Not emptied in place: that would copy the storage, now shared, in every round of the session.
      requests = []
      return taken
    }
  }
}

/// Whose ports JACK refuses, as other threads read it; a bit a slot.
final class PortRefusalBits: Sendable {
  private let bits = Atomic<UInt64>(0)

  /// Takes in whose; the session's thread.
  func tell(_ slots: Set<PeerSlot>) {
    bits.store(slots.reduce(0) { $0 | 1 << UInt64($1.index) }, ordering: .relaxed)
  }

  /// Whether a slot is among them.
  func contain(_ slot: PeerSlot) -> Bool {
    bits.load(ordering: .relaxed) >> UInt64(slot.index) & 1 == 1
  }
}
