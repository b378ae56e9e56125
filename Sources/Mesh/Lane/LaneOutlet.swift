/// The stream of octets that goes to one node on one channel, and the messages that it consists of.
///
/// Each message stands in it as its number, its length (both RFC 9000 §16), and its octets. It is kept until the
/// receiver's consumer has taken it, so that it can be sent again to a later run of the receiver.
struct LaneOutlet {
  /// A message on its way.
  private struct Item {
    let sequence: UInt64
    /// As it stands in the stream.
    let octets: [UInt8]
    /// Where it ends in the stream.
    var end: UInt64
  }

  /// Messages that wait for room; further ones are refused.
  static let mostWaiting = 64

  /// What a chunk costs beside its octets, so that many short ones are no flood of frames.
  private static let chunkCostBytes = 128

  private let channel: LaneChannel
  private var bucket: LaneBucket
  /// Not taken yet, the oldest first.
  private var items: [Item] = []
  /// The item that is to be sent next, and how much of it was.
  private var (nextItem, nextOffset) = (0, 0)
  /// Octets that the receiver's consumer took, that the receiver has, and that were ever sent to this state of it.
  private var (taken, received, sentMost): (UInt64, UInt64, UInt64) = (0, 0, 0)
  /// Octets sent on this connection, or received before it.
  private var sent: UInt64 = 0
  /// Whether the receiver said on this connection where to go on.
  private(set) var isOpen = false
  /// Its share of what the path bears: who has the least is next.
  private(set) var share: UInt64 = 0

  init(_ channel: LaneChannel) {
    self.channel = channel
    bucket = LaneBucket(
      bytesPerSecond: channel.rate.bytesPerSecond, burstBytes: channel.rate.burstBytes)
  }

  /// Octets of messages that are not taken yet.
  var queuedBytes: Int { Int(clamping: (items.last?.end ?? taken) - taken) }

  /// Whether a message of that length may be added now: as much waits here as there.
  func hasRoom(for byteCount: Int) -> Bool {
    items.isEmpty || queuedBytes + byteCount <= channel.windowBytes
  }

  /// Whether nothing waits to be sent.
  var isIdle: Bool { nextItem == items.count }

  /// Adds a message.
  mutating func append(_ octets: [UInt8], sequence: UInt64) {
    var writer = FieldWriter()
    writer.number(sequence)
    writer.number(UInt64(octets.count))
    let framed = writer.octets + octets
    let end = (items.last?.end ?? taken) + UInt64(framed.count)
    items.append(Item(sequence: sequence, octets: framed, end: end))
  }

  /// Takes the share of the one that has the least, so that a pause earns nothing.
  mutating func join(_ least: UInt64) { share = max(share, least) }

  /// Nothing is sent until the receiver says where to go on.
  ///
  /// - Parameter keepsStream: whether it has what came before; else the stream begins anew with the first message that
  ///   is not taken.
  mutating func close(keepsStream: Bool) {
    isOpen = false
    guard !keepsStream else { return }
    let shift = taken
    for index in items.indices { items[index].end -= shift }
    (taken, received, sent, sentMost) = (0, 0, 0, 0)
    (nextItem, nextOffset) = (0, 0)
  }

  /// How many octets may be sent, as far as the receiver's window goes.
  private var windowLeft: Int {
    Int(clamping: taken + UInt64(channel.windowBytes)) - Int(clamping: sent)
  }

  /// When the next chunk may be sent, as far as this channel is concerned: `.max` where there is none.
  mutating func readyNanoseconds(nowNanoseconds now: Int64) -> Int64 {
    guard isOpen, !isIdle, windowLeft > 0 else { return .max }
    return bucket.readyNanoseconds(nowNanoseconds: now)
  }

  /// The next part of the stream; to be called when it is ready.
  mutating func nextChunk(maximumBytes: Int, nowNanoseconds now: Int64) -> LaneChunk? {
    let room = min(maximumBytes, windowLeft)
    guard isOpen, room > 0, !isIdle else { return nil }
    var octets: [UInt8] = []
    while octets.count < room, nextItem < items.count {
      let item = items[nextItem].octets
      let end = min(item.count, nextOffset + room - octets.count)
      octets += item[nextOffset..<end]
      nextOffset = end
      if end == item.count { (nextItem, nextOffset) = (nextItem + 1, 0) }
    }
    let chunk = LaneChunk(channel: channel.rawValue, position: sent, octets: octets)
    sent += UInt64(octets.count)
    sentMost = max(sentMost, sent)
    share &+= UInt64(octets.count)
    bucket.take(octets.count + Self.chunkCostBytes, nowNanoseconds: now)
    return chunk
  }

  /// Takes the receiver's word on how far it is.
  ///
  /// - Returns: which messages are acknowledged; nil: it says what cannot be.
  mutating func take(_ receipt: LaneReceipt) -> [UInt64]? {
    guard receipt.taken <= receipt.received, receipt.received <= (isOpen ? sent : sentMost),
      receipt.received >= received, receipt.taken >= taken
    else { return nil }
    let count = items.firstIndex { $0.end > receipt.taken } ?? items.count
    // A consumer takes whole messages.
    guard receipt.taken == (count == 0 ? taken : items[count - 1].end) else { return nil }
    (received, taken) = (receipt.received, receipt.taken)
    let sequences = items.prefix(count).map(\.sequence)
    items.removeFirst(count)
    if isOpen { nextItem -= count } else { goOn(at: received) }
    return sequences
  }

  /// Begins to send on a new connection.
  private mutating func goOn(at position: UInt64) {
    isOpen = true
    sent = position
    nextItem = items.firstIndex { $0.end > position } ?? items.count
    nextOffset = 0
    guard nextItem < items.count else { return }
    let start = items[nextItem].end - UInt64(items[nextItem].octets.count)
    nextOffset = Int(clamping: position - start)
  }

  /// Messages that are not acknowledged.
  var sequences: [UInt64] { items.map(\.sequence) }
}

/// Octets that may be sent at a rate, and some at once after a pause; sans-I/O.
///
/// May be overdrawn by one chunk, which those after it wait for.
struct LaneBucket {
  var bytesPerSecond: Double
  private let burstBytes: Double
  private var tokens: Double
  private var filledNanoseconds: Int64?

  init(bytesPerSecond: Double, burstBytes: Double) {
    self.bytesPerSecond = bytesPerSecond
    self.burstBytes = burstBytes
    tokens = burstBytes
  }

  private mutating func fill(_ now: Int64) {
    let elapsed = Double(max(now - (filledNanoseconds ?? now), 0))
    tokens = min(burstBytes, tokens + elapsed * bytesPerSecond / 1e9)
    filledNanoseconds = max(now, filledNanoseconds ?? now)
  }

  /// When something may be sent; now, or later.
  mutating func readyNanoseconds(nowNanoseconds now: Int64) -> Int64 {
    fill(now)
    guard tokens <= 0 else { return now }
    return now.saturatingAdding(Int64((1 - tokens) / bytesPerSecond * 1e9))
  }

  mutating func take(_ byteCount: Int, nowNanoseconds now: Int64) {
    fill(now)
    tokens -= Double(byteCount)
  }
}
