/// The stream of octets that comes from one node on one channel.
///
/// Holds what came and the consumer has not taken: no more than the channel's window, whatever is sent. Messages are
/// cut out of it when the consumer asks for them.
struct LaneInlet {
  /// When receipts go out, after a first one at once: so often at most.
  private static let receiptNanoseconds: Int64 = 20_000_000

  private let channel: LaneChannel
  /// From the first octet that is not cut out yet.
  private var octets: [UInt8] = []
  /// The stream so far; how much of it was cut out; how much the consumer has done with.
  private var (received, cut, taken): (UInt64, UInt64, UInt64) = (0, 0, 0)
  /// Of the message at the head: its number, its length, and where its octets begin.
  private var head: (sequence: UInt64, byteCount: Int, start: Int)?
  private var owesReceipt = false
  private var receiptNanoseconds: Int64 = .min / 2

  init(_ channel: LaneChannel) { self.channel = channel }

  /// Octets that are held, with those that the consumer has in hand.
  var heldBytes: Int { Int(clamping: received - taken) }

  /// Whether a message is whole, and none is in the consumer's hand.
  var hasMessage: Bool {
    guard let head, cut == taken else { return false }
    return octets.count - head.start >= head.byteCount
  }

  /// The stream begins anew.
  mutating func reset() { self = LaneInlet(channel) }

  /// Tells the sender where to go on.
  mutating func oweReceipt() {
    owesReceipt = true
    receiptNanoseconds = .min / 2
  }

  /// Takes the next part of the stream.
  mutating func take(_ chunk: LaneChunk) throws(LaneViolation) {
    guard (1...LaneChunk.maximumBytes).contains(chunk.octets.count) else { throw .chunkLength }
    guard chunk.position == received else { throw .position }
    guard heldBytes + chunk.octets.count <= channel.windowBytes else { throw .window }
    octets += chunk.octets
    received += UInt64(chunk.octets.count)
    owesReceipt = true
    try readHead()
  }

  /// Reads number and length of the message at the head, as soon as they are there.
  private mutating func readHead() throws(LaneViolation) {
    guard head == nil else { return }
    var reader = FieldReader(octets, range: octets.indices)
    guard let sequence = try? reader.number(), let byteCount = try? reader.number() else { return }
    guard byteCount > 0, byteCount <= UInt64(channel.maximumMessageBytes) else {
      throw .messageLength
    }
    head = (sequence, Int(byteCount), reader.offset)
  }

  /// The next message, for the consumer, which is to be told done with before there is another.
  mutating func next() -> (sequence: UInt64, octets: [UInt8])? {
    guard hasMessage, let head else { return nil }
    let end = head.start + head.byteCount
    let message = Array(octets[head.start..<end])
    octets.removeFirst(end)
    cut += UInt64(end)
    self.head = nil
    return (head.sequence, message)
  }

  /// The consumer has done with the message that it had.
  mutating func finish() throws(LaneViolation) {
    guard cut > taken else { return }
    taken = cut
    owesReceipt = true
    try readHead()
  }

  /// When a receipt is to go out; `.max`: none is.
  var readyNanoseconds: Int64 {
    owesReceipt ? receiptNanoseconds.saturatingAdding(Self.receiptNanoseconds) : .max
  }

  /// What to tell the sender.
  mutating func receipt(nowNanoseconds now: Int64) -> LaneReceipt {
    owesReceipt = false
    receiptNanoseconds = now
    return LaneReceipt(channel: channel.rawValue, received: received, taken: taken)
  }
}
