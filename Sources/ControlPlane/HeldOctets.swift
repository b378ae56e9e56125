internal import Mesh

/// Received octets that are not decoded yet.
///
/// Messages are taken out one by one, each when the last is handled: what waits is as long as what came, and not the
/// many times longer list of what it means.
struct HeldOctets {
  /// Gives octets, and counts them.
  private final class Feed: Sequence, IteratorProtocol {
    let octets: [UInt8]
    private(set) var offset: Int

    init(_ octets: [UInt8], from offset: Int) {
      self.octets = octets
      self.offset = offset
    }

    func next() -> UInt8? {
      guard offset < octets.count else { return nil }
      defer { offset += 1 }
      return octets[offset]
    }
  }

  private var octets: [UInt8] = []
  private var offset = 0

  /// Whether all of them went into the decoder.
  var isEmpty: Bool { offset == octets.count }

  /// How many are kept, those that went into the decoder too while others wait.
  var byteCount: Int { octets.count }

  /// Adds what came.
  mutating func append(_ new: [UInt8]) {
    if isEmpty {
      (octets, offset) = (new, 0)
    } else {
      octets += new
    }
  }

  /// Forgets all.
  mutating func clear() { (octets, offset) = ([], 0) }

  /// The next message; nil when it is not whole yet.
  mutating func next(
    _ decoder: inout MessageDecoder, nowNanoseconds: Int64
  ) throws(MeshError) -> Message? {
    var message: Message?
    let feed = Feed(octets, from: offset)
    try decoder.receive(feed, nowNanoseconds: nowNanoseconds) {
      message = $0
      return false
    }
    offset = feed.offset
    if isEmpty { clear() }
    return message
  }
}
