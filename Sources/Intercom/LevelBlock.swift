internal import Cryptography
internal import Glibc
public import StatusSchema
internal import Synchronization

/// Levels on their way from the media loop to whoever shows them, without either waiting for the other.
///
/// A sequence lock: the loop makes the sequence odd, stores, and makes it even; a reader that met an odd sequence, or
/// another one afterwards, reads again. Each word is stored releasing and loaded acquiring, so that a reader that saw a
/// new word sees the odd sequence before it. Any number of readers; the loop stores only after somebody read.
final class LevelBlock: Sendable {
  /// Peers that there is room for: as many as have a place in the mix.
  static let mostPeers = 64
  private static let ownWords = 4

  /// The levels of a peer as they are stored.
  struct PeerLevel: Equatable {
    /// Whose they are, ``NodeID/firstBits``.
    var key: UInt64
    /// Linear.
    var rms: Float
    var isTalking: Bool
  }

  private let sequence = Atomic<UInt64>(0)
  private let isWanted = Atomic(false)
  private let changes = Atomic<UInt64>(0)
  /// Microphone's RMS and peak, mix, number of peers; then two words a peer.
  private let words: InlineArray<132, Atomic<UInt64>>

  init() { words = InlineArray { _ in Atomic(0) } }

  /// How often something changed that levels do not tell.
  ///
  /// Any thread.
  var revision: UInt64 { changes.load(ordering: .relaxed) }

  /// Something changed that levels do not tell.
  ///
  /// Any thread; wait-free.
  func noteChange() { changes.add(1, ordering: .relaxed) }

  /// Whether somebody read since the last call.
  ///
  /// The loop; wait-free.
  func takeWish() -> Bool {
    guard isWanted.load(ordering: .relaxed) else { return false }
    isWanted.store(false, ordering: .relaxed)
    return true
  }

  /// Stores; of more than ``mostPeers`` peers the first.
  ///
  /// The loop alone; wait-free. The sequence's odd store is before the words as these release.
  func publish(
    micRMS: Float, micPeak: Float, mixRMS: Float, peers: (_ add: (PeerLevel) -> Void) -> Void
  ) {
    let begun = sequence.load(ordering: .relaxed) &+ 1
    sequence.store(begun, ordering: .relaxed)
    words[0].store(UInt64(micRMS.bitPattern), ordering: .releasing)
    words[1].store(UInt64(micPeak.bitPattern), ordering: .releasing)
    words[2].store(UInt64(mixRMS.bitPattern), ordering: .releasing)
    var count = 0
    peers { level in
      guard count < Self.mostPeers else { return }
      let place = Self.ownWords + 2 * count
      let flag: UInt64 = level.isTalking ? 1 << 32 : 0
      words[place].store(level.key, ordering: .releasing)
      words[place + 1].store(UInt64(level.rms.bitPattern) | flag, ordering: .releasing)
      count += 1
    }
    words[3].store(UInt64(count), ordering: .releasing)
    sequence.store(begun &+ 1, ordering: .releasing)
  }

  /// What was stored last, and asks for more.
  ///
  /// Any thread; lock-free: it goes round again where the loop stored meanwhile, which it does a few times a second.
  func read() -> LevelReading {
    isWanted.store(true, ordering: .relaxed)
    while true {
      let begun = sequence.load(ordering: .acquiring)
      let reading = readOnce()
      if begun & 1 == 0, sequence.load(ordering: .relaxed) == begun { return reading }
    }
  }

  private func readOnce() -> LevelReading {
    let count = min(Int(truncatingIfNeeded: words[3].load(ordering: .acquiring)), Self.mostPeers)
    var keys: [UInt64] = []
    var peers: [NodeLevels.Peer] = []
    keys.reserveCapacity(max(0, count))
    peers.reserveCapacity(max(0, count))
    for index in 0..<max(0, count) {
      let place = Self.ownWords + 2 * index
      keys.append(words[place].load(ordering: .acquiring))
      let word = words[place + 1].load(ordering: .acquiring)
      peers.append(
        NodeLevels.Peer(levelDBFS: Self.decibels(word), isTalking: word & (1 << 32) != 0))
    }
    return LevelReading(
      micDBFS: Self.decibels(words[0].load(ordering: .acquiring)),
      micPeakDBFS: Self.decibels(words[1].load(ordering: .acquiring)),
      mixDBFS: Self.decibels(words[2].load(ordering: .acquiring)), keys: keys, peers: peers)
  }

  private static func decibels(_ word: UInt64) -> Double {
    let level = Float(bitPattern: UInt32(truncatingIfNeeded: word))
    return level > 0 ? 20 * log10(Double(level)) : Level.silenceDBFS
  }
}

/// Levels of a node at one moment, its peers' with ``Cryptography/NodeID/firstBits`` of each.
public struct LevelReading: Sendable, Hashable {
  private let micDBFS: Double
  private let micPeakDBFS: Double
  private let mixDBFS: Double
  /// Whose the levels in `peers` are.
  private let keys: [UInt64]
  private let peers: [NodeLevels.Peer]

  init(
    micDBFS: Double, micPeakDBFS: Double, mixDBFS: Double, keys: [UInt64],
    peers: [NodeLevels.Peer]
  ) {
    self.micDBFS = micDBFS
    self.micPeakDBFS = micPeakDBFS
    self.mixDBFS = mixDBFS
    (self.keys, self.peers) = (keys, peers)
  }

  /// Of a node without peers, in silence.
  public static let silent = LevelReading(
    micDBFS: Level.silenceDBFS, micPeakDBFS: Level.silenceDBFS, mixDBFS: Level.silenceDBFS,
    keys: [], peers: [])

  /// With the peers in an order; who has no place in the mix is silent.
  ///
  /// Each is looked for behind the one before it: in an order that is nearly the loop's, as a status has it, that finds
  /// it at once.
  ///
  /// - Parameter wanted: nil: one of whom no levels are known.
  public func levels(of wanted: [UInt64?]) -> NodeLevels {
    let silent = NodeLevels.Peer(levelDBFS: Level.silenceDBFS, isTalking: false)
    var next = 0
    let found = wanted.map { key in
      guard let key,
        let place = keys[next...].firstIndex(of: key) ?? keys[..<next].firstIndex(of: key)
      else { return silent }
      next = place + 1
      return peers[place]
    }
    return NodeLevels(
      micDBFS: micDBFS, micPeakDBFS: micPeakDBFS, mixDBFS: mixDBFS, peers: found)
  }
}
