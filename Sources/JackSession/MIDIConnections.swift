internal import Glibc
internal import System

/// Where the MIDI ports of a session stand.
public struct MIDIConnections: Sendable, Hashable {
  /// The ports that `keys_in` hears, as JACK calls them.
  public var sources: Set<String> = []
  /// The ports that hear `tally_out`.
  public var destinations: Set<String> = []
  /// Why there are no ports though they are wanted, in words; nil: nothing is in the way.
  public var problem: String?

  /// Ports that nothing is connected to, or none.
  public init() {}

  /// The connections of a client's MIDI ports among all of its own.
  init(_ connections: Set<PortConnection>, client: String) {
    for connection in connections {
      if connection.destination == "\(client):keys_in" { sources.insert(connection.source) }
      if connection.source == "\(client):tally_out" {
        destinations.insert(connection.destination)
      }
    }
  }
}

/// Whether there are to be MIDI ports, and whether JACK has them.
struct MIDIWish {
  private static let retryNanoseconds: Int64 = 10_000_000_000

  var areWanted = false
  /// Why there are none, in words.
  private(set) var problem: String?
  private var retriesAtNanoseconds: Int64 = .max
  private var told = MIDIConnections()
  private let tell: (MIDIConnections) -> Void

  /// - Parameter tell: told of each change.
  init(tell: @escaping (MIDIConnections) -> Void) { self.tell = tell }

  /// Takes every connection of the client's ports.
  mutating func tellIfNew(_ connections: Set<PortConnection>, client: String) {
    var now = MIDIConnections(connections, client: client)
    now.problem = problem
    guard now != told else { return }
    told = now
    tell(now)
  }

  /// Takes in what JACK said: 0 or -errno; true: that is news.
  mutating func settle(_ code: Int32, nowNanoseconds now: Int64) -> Bool {
    let before = problem
    problem =
      switch code {
      case 0: nil
      case -ENOTSUP:
        "the plugin in jackd has no MIDI ports; run comlinkd as a JACK client of its own for them"
      default: errorWords(code)
      }
    retriesAtNanoseconds = problem == nil ? .max : now + Self.retryNanoseconds
    return problem != before
  }

  /// Whether JACK is to be asked again.
  func isDue(nowNanoseconds now: Int64) -> Bool { areWanted && now >= retriesAtNanoseconds }
}
