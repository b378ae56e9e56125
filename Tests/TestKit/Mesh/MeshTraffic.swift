/// What one node of a ``MeshNetwork`` puts on the wire for control, or takes from it: IP packets,
/// from their first octet on.
///
/// Each message travels alone, as TCP_NODELAY and a write of its own have it: the frame with its length, the TLS record
/// around it, the headers of TCP and IP. Each message costs its reader an acknowledgement without data, unless that
/// rides on a message the other way (``MeshAcknowledging``). Handshakes, repetitions, knocks and DNS-SD are not in it,
/// nor what the wire has below IP.
public struct MeshTraffic: Sendable {
  /// Without options (RFC 791 §3.1).
  public static let ipv4HeaderBytes = 20
  /// Without extensions (RFC 8200 §3).
  public static let ipv6HeaderBytes = 40
  /// With time stamps (RFC 9293 §3.1, RFC 7323 §3.2).
  public static let tcpHeaderBytes = 32
  /// Header, the content's type and the tag of an AEAD (RFC 8446 §5.2).
  public static let recordBytes = 22

  /// Packets with a message.
  public private(set) var messages = 0
  /// Packets with nothing but an acknowledgement.
  public private(set) var acknowledgements = 0
  /// Of both, without the headers of IP.
  public private(set) var tcpBytes = 0

  /// Nothing yet.
  public init() {}

  /// Of both, over IPv4.
  public var ipv4Bytes: Int {
    tcpBytes + (messages + acknowledgements) * Self.ipv4HeaderBytes
  }

  /// Of both, over IPv6.
  public var ipv6Bytes: Int {
    tcpBytes + (messages + acknowledgements) * Self.ipv6HeaderBytes
  }

  /// What came after an earlier reading.
  public func since(_ earlier: MeshTraffic) -> MeshTraffic {
    var rest = self
    rest.messages -= earlier.messages
    rest.acknowledgements -= earlier.acknowledgements
    rest.tcpBytes -= earlier.tcpBytes
    return rest
  }

  mutating func addMessage(frameBytes: Int) {
    messages += 1
    tcpBytes += Self.tcpHeaderBytes + Self.recordBytes + frameBytes
  }

  mutating func addAcknowledgement() {
    acknowledgements += 1
    tcpBytes += Self.tcpHeaderBytes
  }

  /// Of one that was added, and rides on a message after all.
  mutating func removeAcknowledgement() {
    acknowledgements -= 1
    tcpBytes -= Self.tcpHeaderBytes
  }
}
