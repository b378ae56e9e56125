import Synchronization

/// The tapes between the media loop and a recorder: one a talker, two of the mix and one a further bus, all on one
/// time line.
///
/// Position 0 is where the recording began; positions count the frames that JACK ran. What passed while it did not,
/// however long, has no room on the tapes: it is told as a ``TapeBreak``. Made by whoever starts the recorder, loaded
/// and read by the recorder on its own thread; written by the media loop.
/// Neither ever waits for the other, nor for a lock.
public final class TapeDeck: Sendable {
  /// Who talks on a tape.
  public struct Talker: Sendable {
    /// What it was called when it was first heard.
    public let name: String
    /// What it is known by when it comes back; the own microphone's is empty.
    public let id: String
    /// Its sound.
    public let tape: SoundTape
  }

  /// A mono bus that is recorded.
  public struct Bus: Sendable {
    /// What its file is called.
    public let name: String
    /// Which.
    public let bus: MixBus
    /// Its sound.
    public let tape: SoundTape
  }

  /// A tape for each place in the mix, and one for the own microphone.
  public static let mostTalkers = PeerSlot.count + 1
  /// Spare tapes for new talkers.
  static let spareCount = 3

  /// JACK's rate when the recording began, in hertz.
  public let sampleRate: Int
  /// Whether each talker's sound is wanted.
  public let keepsTalkers: Bool
  /// Left and right of the mix; nil: not wanted.
  public let mix: (left: SoundTape, right: SoundTape)?
  /// Those buses beside it that are wanted.
  public let buses: [Bus]

  private let tapes: [SoundTape]
  private let written = Atomic<Int64>(0)
  private let unplaced = Atomic<Int>(0)
  private let breaks = TapeBreakQueue()
  /// The reader's: tapes of whose talkers it knows; they are claimed in their order.
  private let toldTalkers = Atomic<Int>(0)

  /// Allocates the tapes of those who talk from the start on, and some more.
  ///
  /// - Parameters:
  ///   - sampleRate: JACK's, in hertz.
  ///   - buses: mono buses that are wanted, and what their files are called.
  ///   - talkers: how many are there; 0 where `keepsTalkers` is false.
  /// - Throws: `AudioError.outOfMemory`.
  public init(
    sampleRate: Int, keepsTalkers: Bool, keepsMix: Bool,
    buses: [(name: String, bus: MixBus)] = [], talkers: Int = 1
  ) throws(AudioError) {
    self.sampleRate = sampleRate
    self.keepsTalkers = keepsTalkers
    mix =
      keepsMix ? (SoundTape(sampleRate: sampleRate), SoundTape(sampleRate: sampleRate)) : nil
    tapes = (0..<(keepsTalkers ? Self.mostTalkers : 0)).map { _ in
      SoundTape(sampleRate: sampleRate)
    }
    self.buses = buses.map {
      Bus(name: $0.name, bus: $0.bus, tape: SoundTape(sampleRate: sampleRate))
    }
    for bus in self.buses { try bus.tape.load(from: 0) }
    try mix?.left.load(from: 0)
    try mix?.right.load(from: 0)
    try loadSpares(talkers + Self.spareCount, from: 0)
  }

  // MARK: Any thread

  /// How far sound may go on at once: half of what a tape takes.
  public var mostJumpFrames: Int { SoundTape.capacityFrames(forRate: sampleRate) / 2 }

  /// Frames that are on no tape, of all tapes together: the reader was too far behind. [any]
  public var lostFrames: Int {
    let talkers = tapes.lazy.map(\.lostFrames).reduce(0, +)
    let mono = buses.lazy.map(\.tape.lostFrames).reduce(0, +)
    return talkers + mono + (mix?.left.lostFrames ?? 0) + unplaced.load(ordering: .relaxed)
  }

  // MARK: Reader

  /// All sound before this position is on the tapes.
  public var writtenPosition: Int64 { written.load(ordering: .acquiring) }

  /// Gives the places of all frames before `position` back, and sees to spare tapes for who comes.
  ///
  /// - Throws: `AudioError.outOfMemory`, after the places were given back.
  public func giveBack(before position: Int64) throws(AudioError) {
    for tape in tapes where tape.isLoaded { tape.giveBack(before: position) }
    mix?.left.giveBack(before: position)
    mix?.right.giveBack(before: position)
    for bus in buses { bus.tape.giveBack(before: position) }
    try loadSpares(Self.spareCount, from: position)
  }

  /// The new talkers since the last call.
  public func takeNewTalkers() -> [Talker] {
    let first = toldTalkers.load(ordering: .relaxed)
    var talkers: [Talker] = []
    for tape in tapes[first...] {
      guard let (name, id) = tape.claimant else { break }
      talkers.append(Talker(name: name, id: id, tape: tape))
    }
    toldTalkers.store(first + talkers.count, ordering: .relaxed)
    return talkers
  }

  /// The next break, in order; nil: none before ``writtenPosition`` as it was loaded before.
  public var nextBreak: TapeBreak? { breaks.first }

  /// Goes on behind the next break.
  public func passBreak() { breaks.removeFirst() }

  private func loadSpares(_ wanted: Int, from position: Int64) throws(AudioError) {
    var missing = wanted - tapes.count(where: \.isSpare)
    for tape in tapes where missing > 0 && !tape.isLoaded {
      try tape.load(from: position)
      missing -= 1
    }
  }

  // MARK: Writer

  /// A tape for a talker; nil while there is no spare one. [loop]
  ///
  /// Wait-free.
  public func claim(for name: String, id: String = "") -> SoundTape? {
    tapes.first { $0.claim(for: name, id: id) }
  }

  /// Counts frames of a talker without a tape. [loop]
  public func lose(frames: Int) { unplaced.add(frames, ordering: .relaxed) }

  /// Says that all sound before `position` is on the tapes; never moves back. [loop]
  public func publish(_ position: Int64) {
    guard position > written.load(ordering: .relaxed) else { return }
    written.store(position, ordering: .releasing)
  }

  /// Says where the time line breaks, before anything behind it is published; false: no room, so not now. [loop]
  public func tell(_ tapeBreak: TapeBreak) -> Bool { breaks.append(tapeBreak) }
}
