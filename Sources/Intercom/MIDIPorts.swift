public import Audio
public import JackSession
import Synchronization

/// The MIDI ports `keys_in` and `tally_out` of a node, which are there while somebody wants them.
///
/// ``news`` has one reader, who alone reads and sends. Any thread else; nothing waits.
public final class MIDIPorts: Sendable {
  /// That messages came, or a connection came or went: once for all since it was looked at.
  public let news: AsyncStream<Void>
  private let tell: AsyncStream<Void>.Continuation
  private let engine: AudioEngine
  private let present = Mutex(MIDIConnections())

  init(_ engine: AudioEngine) {
    self.engine = engine
    (news, tell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Tells of what waits; the loop thread, each time that it wakes.
  func look() {
    if engine.hasMIDI { tell.yield() }
  }

  /// The session's thread.
  func follow(_ connections: MIDIConnections) {
    present.withLock { $0 = connections }
    tell.yield()
  }

  /// Something else happened that the reader of ``news`` looks at.
  public func touch() { tell.yield() }

  /// What is connected.
  public var connections: MIDIConnections { present.withLock { $0 } }

  /// The messages that came, the oldest first.
  public func read() -> [[UInt8]] { engine.readMIDI() }

  /// Sends a message; false: there is no room.
  public func send(_ octets: [UInt8]) -> Bool { engine.writeMIDI(octets) }

  /// What the ports counted.
  public var counters: MIDICounters { engine.midiCounters }

  /// Periods that JACK ran us: with more of them the ports are alive.
  public var periods: UInt64 { engine.periodTime()?.count ?? 0 }
}
