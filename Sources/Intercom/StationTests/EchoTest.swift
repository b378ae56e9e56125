import Audio
public import Cryptography

/// Sends a signal in the microphone's place and records, frame by frame beside it, what a peer sends meanwhile.
///
/// Both are exchanged in the same periods of JACK, so a place in the record is a time since that place in the signal:
/// from this node's microphone port to its ear port, whatever the clocks of the loop,
/// the network and the other node do.
final class EchoTest: StationTest {
  /// Where JACK stands still the test ends that much after its time.
  private static let graceNanoseconds: Int64 = 2_000_000_000

  /// The peer's; given before it begins.
  var slot: PeerSlot?
  private let signal: [Float]
  let sampleRate: Int
  private var written = 0
  /// As long as the signal; what was recorded of it.
  private(set) var record: [Float]
  private(set) var recorded = 0
  private(set) var lostFrames = 0
  private var deadlineNanoseconds: Int64?

  /// Allocates for a signal at JACK's rate, which ends in silence for as long as the echo may take.
  init(_ signal: [Float], sampleRate: Int) {
    self.signal = signal
    self.sampleRate = sampleRate
    record = [Float](repeating: 0, count: signal.count)
  }

  /// Whether all of the signal was sent and recorded, in step.
  var isComplete: Bool { recorded == signal.count && lostFrames == 0 }

  func begin(_ engine: AudioEngine) -> Bool {
    guard let slot, engine.captureSignal(recording: slot) else { return false }
    write(engine)
    return true
  }

  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool {
    let seconds = Double(signal.count) / Double(sampleRate)
    let deadline =
      deadlineNanoseconds ?? nowNanoseconds + Int64(seconds * 1e9) + Self.graceNanoseconds
    deadlineNanoseconds = deadline
    var span = record.mutableSpan
    var rest = span._mutatingExtracting(recorded...)
    recorded += engine.readRecord(into: &rest)
    // Once the signal is over nothing is in step any more, and need not be.
    guard recorded < signal.count else { return false }
    lostFrames = engine.lostSignalFrames
    write(engine)
    let isOfThisRate = !beat.isRunning || beat.sampleRate == sampleRate
    return lostFrames == 0 && isOfThisRate && nowNanoseconds < deadline
  }

  func end(_ engine: AudioEngine) {
    engine.captureMicrophone()
  }

  private func write(_ engine: AudioEngine) {
    let signal = signal
    written += engine.writeSignal(signal.span.extracting(written...))
  }
}

/// What came back from a peer, and how far it was meanwhile.
struct Echo: Sendable {
  /// As long as the signal and in step with it; at JACK's rate.
  var record: [Float]
  /// Of the network alone, there and back, from the reports.
  var networkMilliseconds: Double?
  /// How long the peer's packets wait here.
  var playoutMilliseconds: Double?
}

/// A peer whose voice this node sends back in place of its own, with its user's consent and for a limited time.
struct LoopBack {
  let slot: PeerSlot
  let name: String
  let untilNanoseconds: Int64
}

/// A peer as tests name it.
public struct TestPeer: Sendable, Hashable {
  /// What this node calls it.
  public let name: String
  /// Who it is.
  public let node: NodeID
}
