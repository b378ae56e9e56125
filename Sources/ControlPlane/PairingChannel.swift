public import Cryptography
public import Mesh
internal import NIOCore
internal import ServiceLoop

/// A connection on which two nodes pair: TLS proved both identities, and nothing else is known of the other.
///
/// Any thread; one ``receive()`` at a time. Closed when nobody holds on to what it is for: by ``close()``, or when
/// ``ControlPlaneHandler/pair(_:)`` returns.
public final class PairingChannel: Sendable {
  /// The other node's key.
  public let peerKey: PublicKey
  /// The other node.
  public let peer: NodeID
  /// Where it is.
  public let remote: NodeAddress?

  private let connection: SecureConnection

  init?(_ connection: SecureConnection) {
    guard let peerKey = connection.peerKey else { return nil }
    self.peerKey = peerKey
    peer = NodeID(of: peerKey)
    remote = connection.remote
    self.connection = connection
  }

  /// Sends a frame, and waits until the kernel has it.
  ///
  /// - Parameter frame: 1 octet to 64 KiB.
  public func send(_ frame: [UInt8]) async throws(ControlPlaneError) {
    let maximum = connection.exchange.configuration.limits.pairingBytes
    guard (1...maximum).contains(frame.count) else {
      throw .frame(byteCount: frame.count, maximum: maximum)
    }
    try await withCheckedContinuation { continuation in
      connection.exchange.gate.run {
        self.connection.sendFrame(frame) { continuation.resume(returning: $0) }
      } orElse: {
        continuation.resume(returning: Result<Void, ControlPlaneError>.failure(.stopped))
      }
    }.get()
  }

  /// The other's next frame; throws when it takes longer than 10 s, or the connection ended.
  public func receive() async throws(ControlPlaneError) -> [UInt8] {
    try await withCheckedContinuation { continuation in
      connection.exchange.gate.run {
        self.connection.takeFrame { continuation.resume(returning: $0) }
      } orElse: {
        continuation.resume(returning: Result<[UInt8], ControlPlaneError>.failure(.stopped))
      }
    }.get()
  }

  /// Ends it, after what was sent.
  public func close() {
    connection.exchange.gate.run {
      self.connection.close()
    }
  }
}

/// The frames of a pairing connection on the event loop: somebody asks for one at a time.
final class PairingLine {
  /// Whoever waits for a frame.
  typealias Answer = @Sendable (Result<[UInt8], ControlPlaneError>) -> Void

  /// What came and nobody has taken yet.
  private var cutter: PairingFrames
  private var waiting: Answer?
  private var timer: Scheduled<Void>?
  /// Why no more come.
  private(set) var end: ControlPlaneError?
  /// Whether it has one of the places for pairings that others opened.
  private var hasPlace = false

  init(maximumBytes: Int) { cutter = PairingFrames(maximumBytes: maximumBytes) }

  /// Whether somebody waits for a frame.
  var isAwaited: Bool { waiting != nil }
  /// Whether a frame is whole.
  var hasFrame: Bool { cutter.hasFrame }

  /// It has one of the places for pairings that others opened.
  func takePlace() { hasPlace = true }

  /// Gives the place back; false where it has none.
  func leavePlace() -> Bool {
    defer { hasPlace = false }
    return hasPlace
  }

  /// Takes what came.
  func append(_ octets: [UInt8]) throws(ControlPlaneError) { try cutter.append(octets) }

  /// Lets somebody wait for the next frame; false where another one does.
  func wait(with answer: @escaping Answer) -> Bool {
    guard waiting == nil else { return false }
    waiting = answer
    return true
  }

  /// Calls `late` when the frame that is waited for does not come in time.
  func setTimer(
    on loop: any EventLoop, nanoseconds: Int64, late: @escaping @Sendable () -> Void
  ) {
    timer = loop.scheduleTask(in: .nanoseconds(nanoseconds), late)
  }

  /// Gives the next frame, or why there is none, to whoever waits.
  ///
  /// - Throws: what the waiting one was told, too, when a frame is too long.
  func answerIfPossible() throws(ControlPlaneError) {
    do {
      if let frame = try cutter.next() {
        answer(with: .success(frame))
      } else if let end {
        answer(with: .failure(end))
      }
    } catch {
      answer(with: .failure(error))
      throw error
    }
  }

  /// Answers whoever waits.
  func answer(with result: Result<[UInt8], ControlPlaneError>) {
    timer?.cancel()
    timer = nil
    let waiting = waiting
    self.waiting = nil
    waiting?(result)
  }

  /// No more come; the first reason counts.
  func end(_ error: ControlPlaneError) { end = end ?? error }
}

/// Cuts the octets of a pairing connection into frames behind lengths of four octets, big-endian.
struct PairingFrames {
  private static let prefixBytes = 4

  /// Most octets of a frame.
  let maximumBytes: Int
  private var held: [UInt8] = []
  private var taken = 0

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// A frame behind its length.
  static func frame(_ octets: [UInt8]) -> [UInt8] {
    let count = UInt32(truncatingIfNeeded: octets.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + octets
  }

  /// Octets of the frame to come, without its length; nil before that is there.
  private var nextBytes: Int? {
    guard held.count - taken >= Self.prefixBytes else { return nil }
    return held[taken..<taken + Self.prefixBytes].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether a frame is whole.
  var hasFrame: Bool {
    nextBytes.map { held.count - taken - Self.prefixBytes >= $0 } ?? false
  }

  /// Takes what came; throws as soon as it tells of a frame that is empty or too long.
  mutating func append(_ octets: some Sequence<UInt8>) throws(ControlPlaneError) {
    held.removeFirst(taken)
    taken = 0
    held += octets
    try check()
  }

  /// The next frame; nil when it is not whole yet.
  mutating func next() throws(ControlPlaneError) -> [UInt8]? {
    try check()
    guard hasFrame, let count = nextBytes else { return nil }
    let start = taken + Self.prefixBytes
    taken = start + count
    return Array(held[start..<taken])
  }

  private func check() throws(ControlPlaneError) {
    guard let count = nextBytes else { return }
    guard (1...maximumBytes).contains(count) else {
      throw .frame(byteCount: count, maximum: maximumBytes)
    }
  }
}
