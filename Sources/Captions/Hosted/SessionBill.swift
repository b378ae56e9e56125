public import Cryptography

/// What a part of a hosted session is, as whoever hosts it says: signed, so that others can pass it on.
///
/// A session that another member continues has a part for each host in turn; the first part's key is the session's.
///
/// Layout, numbers with the highest octet first: the host's key (32 octets), the part's number (8), the session (32 and
/// 8), generation (2), flags (1), then name, host and line, each after its length (1), and the signature of all that
/// (64).
public struct SessionBill: Hashable, Sendable {
  /// Whether more comes.
  public enum Ending: UInt8, Sendable {
    /// Its host goes on with it, or is away.
    case open = 0
    /// Another member hosts the session.
    case handedOver
    /// Its host ended the session.
    case over
  }

  private static let label = Array("comlink session 1".utf8) + [0]
  private static let soloFlag: UInt8 = 1
  private static let endingShift: UInt8 = 1
  /// A session is not continued more often.
  static let mostGenerations: UInt32 = 1000

  /// Whose part, and which.
  public let part: CaptionSessionKey
  /// The session that it is a part of.
  public let session: CaptionSessionKey
  /// 1 for the first part; of one that continues more than of all that its host knew.
  public let generation: UInt32
  /// What the session is called.
  public let name: String
  /// What the host's device is called.
  public let host: String
  /// The line whose talk it has.
  public let line: String
  /// Whether the host's words alone are captioned.
  public let isSolo: Bool
  /// Whether more comes.
  public let ending: Ending
  let hostKey: PublicKey
  private let signature: [UInt8]

  /// Signs a bill; nil: this node cannot sign.
  init?(
    _ number: UInt64, of session: CaptionSessionKey, generation: UInt32, _ title: SessionTitle,
    host: String, ending: Ending, by signer: CaptionSigner
  ) {
    part = CaptionSessionKey(captioner: signer.node, number: number)
    (self.session, self.generation, self.ending) = (session, generation, ending)
    name = title.name.cut(toBytes: CaptionLimits.nameBytes)
    line = title.line.cut(toBytes: CaptionLimits.nameBytes)
    self.host = host.cut(toBytes: CaptionLimits.nameBytes)
    (isSolo, hostKey) = (title.isSolo, signer.key)
    var writer = CaptionWriter()
    Self.write(
      (hostKey, part.number, session, generation), title: (name, self.host, line),
      flags: (isSolo ? Self.soloFlag : 0) | ending.rawValue << Self.endingShift, to: &writer)
    guard let signature = signer.sign(Self.label + writer.octets) else { return nil }
    self.signature = signature
  }

  init(_ reader: inout CaptionReader) throws(CaptionFault) {
    let octets = Array(try reader.bytes(PublicKey.byteCount))
    guard let key = try? PublicKey(octets) else { throw .malformed }
    hostKey = key
    let host = NodeID(of: key)
    part = CaptionSessionKey(captioner: host, number: try reader.number(8))
    session = CaptionSessionKey(captioner: try reader.node(), number: try reader.number(8))
    generation = UInt32(try reader.number(2))
    let flags = UInt8(try reader.number(1))
    guard let ending = Ending(rawValue: flags >> Self.endingShift) else { throw .malformed }
    (isSolo, self.ending) = (flags & Self.soloFlag != 0, ending)
    name = try reader.text(lengthBytes: 1, most: CaptionLimits.nameBytes)
    self.host = try reader.text(lengthBytes: 1, most: CaptionLimits.nameBytes)
    line = try reader.text(lengthBytes: 1, most: CaptionLimits.nameBytes)
    signature = Array(try reader.bytes(PublicKey.signatureByteCount))
    // The founder's part is the first, and no other is.
    guard !name.isEmpty, !line.isEmpty, generation >= 1, generation <= Self.mostGenerations,
      (generation == 1) == (part == session)
    else { throw .malformed }
    let signed = Self.label + unsignedOctets
    guard unsafe key.verifies(signature, of: signed.span.bytes) else { throw .forged }
  }

  private static func write(
    _ head: (PublicKey, UInt64, CaptionSessionKey, UInt32), title: (String, String, String),
    flags: UInt8, to writer: inout CaptionWriter
  ) {
    writer.bytes(head.0.bytes)
    writer.number(head.1, byteCount: 8)
    writer.bytes(head.2.captioner.octets)
    writer.number(head.2.number, byteCount: 8)
    writer.number(UInt64(head.3), byteCount: 2)
    writer.bytes([flags])
    writer.text(title.0, lengthBytes: 1)
    writer.text(title.1, lengthBytes: 1)
    writer.text(title.2, lengthBytes: 1)
  }

  private var unsignedOctets: [UInt8] {
    var writer = CaptionWriter()
    Self.write(
      (hostKey, part.number, session, generation), title: (name, host, line),
      flags: (isSolo ? Self.soloFlag : 0) | ending.rawValue << Self.endingShift, to: &writer)
    return writer.octets
  }

  func write(to writer: inout CaptionWriter) {
    writer.bytes(unsignedOctets)
    writer.bytes(signature)
  }

  /// Which of two of a part holds: what is over does not begin again.
  func isReplaced(by other: SessionBill) -> Bool {
    other.part == part && other.session == session && other.ending.rawValue > ending.rawValue
  }

  /// Of several parts whose hosts go on at once the first is the session's.
  func precedes(_ other: SessionBill) -> Bool {
    (generation, part) < (other.generation, other.part)
  }
}

/// What a user says of a session that they host.
public struct SessionTitle: Hashable, Sendable {
  /// What it is called.
  public let name: String
  /// The line whose talk it has.
  public let line: String
  /// Whether the host's words alone are captioned.
  public let isSolo: Bool

  /// Makes a title; what is longer than 63 bytes is cut.
  public init(name: String, line: String, isSolo: Bool) {
    (self.name, self.line, self.isSolo) = (name, line, isSolo)
  }
}

/// Signs as this node.
public struct CaptionSigner: Sendable {
  /// This node.
  public let node: NodeID
  /// By which others check it.
  public let key: PublicKey
  let sign: @Sendable ([UInt8]) -> [UInt8]?

  /// - Parameter sign: nil: it cannot, for now.
  public init(key: PublicKey, sign: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
    (node, self.key, self.sign) = (NodeID(of: key), key, sign)
  }
}
