internal import Audio
internal import EventLoop
internal import Synchronization

/// What a browser and its node send each other: octet 0 the kind, 1…4 the sequence number, 5…8 the time stamp in frames
/// at 48 kHz, 9 the level in −dBov (RFC 6464), big-endian; then one Opus packet, or 16-bit samples, little-endian.
///
/// One octet of payload (Opus' table of contents alone) says that nobody talks. Each frame is sent on two connections;
/// the first copy counts.
public struct GuestFrame: Sendable {
  /// Octets before the payload.
  public static let headerBytes = 10
  /// The longest payload: 20 ms of samples.
  public static let mostPayloadBytes = 1920

  /// How the payload is coded.
  public enum Kind: UInt8, Sendable {
    case opus = 1
    case pcm = 2
  }

  var kind: Kind
  var sequence: UInt32
  var timestamp: UInt32
  var level: UInt8

  /// Reads a header; nil: it is none, or what follows is too long or nothing.
  init?(_ octets: RawSpan) {
    let payload = octets.byteCount - Self.headerBytes
    guard payload > 0, payload <= Self.mostPayloadBytes else { return nil }
    guard let kind = Kind(rawValue: Self.octet(octets, at: 0)) else {
      return nil
    }
    self.kind = kind
    sequence = Self.number(octets, at: 1)
    timestamp = Self.number(octets, at: 5)
    level = min(127, Self.octet(octets, at: 9))
  }

  init(kind: Kind, sequence: UInt32, timestamp: UInt32, level: UInt8) {
    (self.kind, self.sequence, self.timestamp, self.level) = (kind, sequence, timestamp, level)
  }

  /// The header's octets.
  var header: [UInt8] {
    var octets = [kind.rawValue]
    for number in [sequence, timestamp] {
      for shift in [24, 16, 8, 0] {
        octets.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
      }
    }
    octets.append(level)
    return octets
  }

  private static func octet(_ octets: RawSpan, at offset: Int) -> UInt8 {
    unsafe octets.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  private static func number(_ octets: RawSpan, at offset: Int) -> UInt32 {
    var number: UInt32 = 0
    for index in offset..<(offset + 4) {
      number = number << 8 | UInt32(octet(octets, at: index))
    }
    return number
  }
}

/// A guest's voice on its way from the page's thread to the media loop, and what became of it.
///
/// The page's thread waits for the loop for microseconds at most; the loop never waits. Frames are kept for the loop's
/// next wake-up, a bounded number of them: what finds no place, comes twice or is older than ``patience`` is counted.
public final class GuestLine: Sendable {
  /// A frame that came so much later than the soonest of late is not worth hearing (nanoseconds).
  static let patience: Int64 = 400_000_000
  /// After so many of them in a row the way has become that long, and is taken for what it is.
  private static let mostStale = 100

  /// What became of the frames of a guest.
  public struct Counts: Sendable, Hashable {
    /// Frames taken, of which one copy each counts.
    public var taken = 0
    /// Second copies.
    public var copies = 0
    /// Frames that none of the connections brought.
    public var missing = 0
    /// Frames that came too late to be worth hearing.
    public var stale = 0
    /// Frames that found no place, as the loop did not run.
    public var dropped = 0
    /// What was no frame.
    public var malformed = 0
  }

  fileprivate struct Inlet {
    var counts = Counts()
    var queue = GuestQueue()
    var last: UInt32?
    /// Arrival less media time of the soonest frame of late.
    var soonest: Int64?
    var staleRun = 0
  }

  private let inlet = Mutex(Inlet())
  /// Codes samples; made when the first come.
  private let coder = Mutex<GuestCoder?>(nil)

  init() {}

  /// What came so far.
  ///
  /// Any thread but the loop.
  public var counts: Counts { inlet.withLock { $0.counts } }

  /// Takes a message of the browser; its octets may be anything.
  ///
  /// Any thread but the loop, one message at a time.
  public func take(_ octets: [UInt8]) {
    take(octets, arrivalNanoseconds: EventLoop.nowNanoseconds())
  }

  /// The same of a message that came then.
  ///
  /// - Returns: whether it is the first copy of a frame that is worth hearing.
  @discardableResult
  func take(_ octets: [UInt8], arrivalNanoseconds arrival: Int64) -> Bool {
    let bytes = unsafe octets.span.bytes
    guard let frame = GuestFrame(bytes) else {
      inlet.withLock { $0.counts.malformed += 1 }
      return false
    }
    guard inlet.withLock({ $0.isNew(frame, arrivalNanoseconds: arrival) }) else { return false }
    let payload = bytes.extracting(GuestFrame.headerBytes...)
    switch frame.kind {
    case .opus: add(frame, payload, arrival)
    case .pcm:
      coder.withLock { coder in
        if coder == nil { coder = try? GuestCoder() }
        coder?.code(payload) { add(frame, $0, arrival) }
      }
    }
    return true
  }

  private func add(_ frame: GuestFrame, _ payload: RawSpan, _ arrivalNanoseconds: Int64) {
    inlet.withLock { inlet in
      guard inlet.queue.add(frame, payload, arrivalNanoseconds) else {
        inlet.counts.dropped += 1
        return
      }
    }
  }

  /// Hands the loop what came; does not wait: what is being added just now is for the next time.
  ///
  /// Allocates nothing.
  func drain(_ body: (GuestFrame, RawSpan, _ arrivalNanoseconds: Int64) -> Void) {
    inlet.withLockIfAvailable { $0.queue.drain(body) }
  }
}

extension GuestLine.Inlet {
  /// Whether a frame is the first copy of one that is worth hearing.
  fileprivate mutating func isNew(_ frame: GuestFrame, arrivalNanoseconds arrival: Int64) -> Bool {
    if let last {
      let step = Int(Int32(truncatingIfNeeded: frame.sequence &- last))
      // Each connection brings its frames in order, so what comes behind the newest came before.
      guard step > 0 || step < -1000 else {
        counts.copies += 1
        return false
      }
      if step > 1, step < 1000 { counts.missing += step - 1 }
      if !(0..<1000).contains(step) { (soonest, staleRun) = (nil, 0) }
    }
    last = frame.sequence
    counts.taken += 1
    let transit = arrival - Int64(frame.timestamp) * 1_000_000 / 48
    // Browsers' clocks are off by 100 ppm at most; what a frame is less late by counts at once.
    let bound = min(soonest.map { $0 + 2_000 } ?? transit, transit)
    guard transit - bound > GuestLine.patience else {
      (soonest, staleRun) = (bound, 0)
      return true
    }
    staleRun += 1
    counts.stale += 1
    soonest = staleRun > GuestLine.mostStale ? transit : bound
    return false
  }
}

/// Frames that wait for the loop, in memory allocated once.
struct GuestQueue {
  private static let places = 32
  /// The longest Opus packet (RFC 6716 §3.4), of 20 ms.
  private static let placeBytes = 1276

  private struct Entry {
    var frame = GuestFrame(kind: .opus, sequence: 0, timestamp: 0, level: 127)
    var byteCount = 0
    var arrivalNanoseconds: Int64 = 0
  }

  private var entries = [Entry](repeating: Entry(), count: places)
  private var octets = [UInt8](repeating: 0, count: places * placeBytes)
  private var count = 0

  /// Adds a frame; false: there is no room, or it is too long.
  mutating func add(_ frame: GuestFrame, _ payload: RawSpan, _ arrivalNanoseconds: Int64) -> Bool {
    guard count < Self.places, payload.byteCount <= Self.placeBytes else { return false }
    entries[count] = Entry(
      frame: frame, byteCount: payload.byteCount, arrivalNanoseconds: arrivalNanoseconds)
    let start = count * Self.placeBytes
    unsafe payload.withUnsafeBytes { payload in
      unsafe octets.withUnsafeMutableBytes { octets in
        unsafe UnsafeMutableRawBufferPointer(rebasing: octets[start...]).copyMemory(from: payload)
      }
    }
    count += 1
    return true
  }

  /// Hands all of them over, the oldest first.
  mutating func drain(_ body: (GuestFrame, RawSpan, Int64) -> Void) {
    let octets = octets
    for index in 0..<count {
      let (entry, start) = (entries[index], index * Self.placeBytes)
      let payload = octets.span.extracting(start..<(start + entry.byteCount))
      let bytes = unsafe payload.bytes
      body(entry.frame, bytes, entry.arrivalNanoseconds)
    }
    count = 0
  }
}

/// Codes the samples of a browser that has no Opus, so that they go the way of all others.
final class GuestCoder {
  private let encoder: OpusEncoder
  private var pcm = [Float](repeating: 0, count: GuestFrame.mostPayloadBytes / 2)
  private var packet = [UInt8](repeating: 0, count: 400)

  init() throws(AudioError) {
    encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 64_000)
  }

  /// Codes 10 or 20 ms of samples; anything else is left out, but for the one octet that says that nobody talks.
  func code(_ samples: RawSpan, _ body: (RawSpan) -> Void) {
    if samples.byteCount == 1 { return body(samples) }
    let frames = samples.byteCount / 2
    guard samples.byteCount % 2 == 0, frames == 480 || frames == 960 else { return }
    for index in 0..<frames {
      let sample = unsafe samples.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: Int16.self)
      pcm[index] = Float(Int16(littleEndian: sample)) / 32768
    }
    let count = Self.encode(pcm.span.extracting(..<frames), by: encoder, into: &packet)
    guard count > 0 else { return }
    let octets = packet
    let coded = octets.span.extracting(..<count)
    let bytes = unsafe coded.bytes
    body(bytes)
  }

  private static func encode(
    _ pcm: Span<Float>, by encoder: OpusEncoder, into packet: inout [UInt8]
  ) -> Int {
    var span = packet.mutableSpan
    var bytes = unsafe span.mutableBytes
    return encoder.encode(pcm, into: &bytes)
  }
}
