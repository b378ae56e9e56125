internal import Audio
internal import Intercom

/// Where something that is no member gets a place on a line of this node; a test has its own.
protocol LineStage: Sendable {
  /// Puts it on a line, where all who listen to that hear it.
  ///
  /// - Parameter colour: what members show it in, 24 bits of red, green and blue; nil: its node's.
  func enter(
    _ line: String, as name: String, in colour: UInt32?
  ) async throws(LineStageRefusal) -> any LinePlace
}

/// A place on a line; any thread.
protocol LinePlace: Sendable {
  /// Takes a message as a guest's browser sends it (``GuestFrame``). Does not wait.
  func take(_ frame: [UInt8])
  /// It talks from now on, or no more.
  func talk(_ isOn: Bool) async
  /// It is gone.
  func leave() async
}

/// Why there is no place on a line, in words.
struct LineStageRefusal: Error, Sendable {
  let words: String

  init(_ words: String) { self.words = words }
}

/// A voice on a line: what waits in its queue is sent there as it is to sound, 10 ms each 10 ms.
///
/// On Swift's ordinary pool. A key of the line is open while something is to be heard, and a moment longer, so that it
/// does not close between two sentences. What is cut off is silent at once here, and at others for as long as their
/// playout delay is.
actor LineMouth {
  static let sampleRate = 48_000
  private static let blockFrames = 480
  private static let beat = Duration.milliseconds(10)
  /// So many silent blocks after the last sound, then the key closes.
  private static let hangover = 30
  /// A stall longer than that is not made up for.
  private static let mostLag = Duration.milliseconds(200)
  /// What may wait: a voice is made faster than it is spoken.
  private static let seconds = 20

  /// What is to be heard; written by one other.
  nonisolated let queue: SoundQueue
  private let place: any LinePlace
  private var block = [Float](repeating: 0, count: blockFrames)
  private var (sequence, timestamp): (UInt32, UInt32) = (0, 0)
  /// Silent blocks since the last sound; nil: the key is closed.
  private var quiet: Int?
  private var beating: Task<Void, Never>?

  init(_ place: any LinePlace) throws(AudioError) {
    self.place = place
    queue = try SoundQueue(leastFrames: Self.seconds * Self.sampleRate)
  }

  /// Begins.
  func begin() {
    beating = Task { [weak self] in
      var next = ContinuousClock.now
      while !Task.isCancelled {
        await self?.step()
        next += Self.beat
        let lag = ContinuousClock.now - next
        if lag > Self.mostLag {
          await self?.pass(lag)
          next += lag
        }
        try? await Task.sleep(until: next, clock: .continuous)
      }
    }
  }

  /// Leaves the line.
  func end() async {
    beating?.cancel()
    await place.leave()
  }

  /// Media time went on while nothing ran.
  private func pass(_ lag: Duration) {
    timestamp &+= UInt32(lag / Self.beat) &* UInt32(Self.blockFrames)
  }

  private func step() async {
    timestamp &+= UInt32(Self.blockFrames)
    let isCut = queue.passUnwanted()
    if isCut { quiet = quiet.map { max($0, Self.hangover) } }
    var span = block.mutableSpan
    let count = queue.read(into: &span)
    defer { queue.note(waitingFrames: 0) }
    guard count > 0 else { return await rest() }
    for index in count..<Self.blockFrames { block[index] = 0 }
    if quiet == nil { await place.talk(true) }
    quiet = 0
    send(GuestFrame.samples(block.span, sequence: sequence, timestamp: timestamp))
  }

  private func rest() async {
    guard let before = quiet else { return }
    quiet = before + 1
    if before == 0 || before >= Self.hangover {
      send(GuestFrame.silence(sequence: sequence, timestamp: timestamp))
    }
    guard before >= Self.hangover else { return }
    quiet = nil
    await place.talk(false)
  }

  private func send(_ frame: [UInt8]) {
    place.take(frame)
    sequence &+= 1
  }
}
