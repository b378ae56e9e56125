/// Cuts the octets of one control connection into messages.
///
/// Sans-I/O, one call at a time. Holds the message that is under way and no more: memory grows with
/// the octets that came, never with a length that was only announced, and a prefix above the limit is
/// refused when its fourth octet comes. After an error the connection is to be closed; the decoder
/// takes nothing more and throws the same again.
public struct MessageDecoder: Sendable {
  /// Octets of the big-endian length before each message.
  public static let prefixBytes = 4

  /// How much and how long a message may take; set it to ``MessageLimits/member`` on admission.
  public var limits: MessageLimits

  private var prefix: UInt32 = 0
  private var prefixCount = 0
  private var payload: [UInt8] = []
  private var begunNanoseconds: Int64?
  private var failure: MeshError?

  /// Starts at a message's first octet.
  public init(limits: MessageLimits = .stranger) { self.limits = limits }

  /// Octets of an unfinished message that are held.
  public var heldBytes: Int { prefixCount + payload.count }

  /// When the message under way is too slow; nil between messages.
  public var deadlineNanoseconds: Int64? {
    begunNanoseconds.map { $0.saturatingAdding(limits.messageNanoseconds) }
  }

  /// Throws when the message under way was not finished in time.
  public mutating func check(nowNanoseconds: Int64) throws(MeshError) {
    if let failure { throw failure }
    guard let deadlineNanoseconds, nowNanoseconds >= deadlineNanoseconds else { return }
    throw fail(.slow(seconds: Int(limits.messageNanoseconds / 1_000_000_000)))
  }

  /// Takes what came, and hands each message that is whole to `body`, which may return false to be
  /// given no more: then the rest is lost, and the connection to be closed.
  public mutating func receive(
    _ octets: some Sequence<UInt8>, nowNanoseconds: Int64, _ body: (Message) -> Bool
  ) throws(MeshError) {
    try check(nowNanoseconds: nowNanoseconds)
    for octet in octets {
      begunNanoseconds = begunNanoseconds ?? nowNanoseconds
      if prefixCount < Self.prefixBytes {
        prefix = prefix << 8 | UInt32(octet)
        prefixCount += 1
        if prefixCount == Self.prefixBytes { try checkPrefix() }
        continue
      }
      payload.append(octet)
      guard payload.count == Int(prefix) else { continue }
      guard body(try finish()) else { return }
    }
  }

  private mutating func checkPrefix() throws(MeshError) {
    guard prefix > 0 else { throw fail(.truncated) }
    guard Int(prefix) <= limits.maximumBytes else {
      throw fail(.oversized(byteCount: Int(prefix), maximum: limits.maximumBytes))
    }
  }

  private mutating func finish() throws(MeshError) -> Message {
    let whole = payload
    (prefix, prefixCount, payload, begunNanoseconds) = (0, 0, [], nil)
    do {
      return try Message(parsing: whole)
    } catch {
      throw fail(error)
    }
  }

  private mutating func fail(_ error: MeshError) -> MeshError {
    (prefix, prefixCount, payload, begunNanoseconds) = (0, 0, [], nil)
    failure = error
    return error
  }
}

/// How much and how long one connection may take for a message.
public struct MessageLimits: Hashable, Sendable {
  /// Most octets of a message without its prefix.
  public var maximumBytes: Int
  /// From a message's first octet to its last.
  public var messageNanoseconds: Int64

  /// Makes limits.
  public init(maximumBytes: Int, messageNanoseconds: Int64) {
    self.maximumBytes = maximumBytes
    self.messageNanoseconds = messageNanoseconds
  }

  /// For somebody who is not a member: a hello fits many times.
  public static let stranger = MessageLimits(
    maximumBytes: 64 * 1024, messageNanoseconds: 5_000_000_000)

  /// For a member: 10 MiB, at 1 MiB a second.
  public static let member = MessageLimits(
    maximumBytes: 10 * 1024 * 1024, messageNanoseconds: 10_000_000_000)
}

/// A version of the control messages.
///
/// Within one major number fields and types are only ever added, which raises the minor one.
public struct MessageVersion: Hashable, Sendable, CustomStringConvertible {
  /// Who differs in this cannot talk.
  public let major: UInt64
  /// Who has the higher one knows more fields.
  public let minor: UInt64

  /// Makes a version.
  public init(major: UInt64, minor: UInt64) {
    self.major = major
    self.minor = minor
  }

  /// What this software speaks.
  public static let current = MessageVersion(major: 2, minor: 3)

  /// `1.0`.
  public var description: String { "\(major).\(minor)" }
}
