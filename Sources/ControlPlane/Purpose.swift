/// What a connection is for, as ALPN tells (RFC 7301).
enum Purpose: String, CaseIterable, Sendable {
  /// Messages between nodes.
  case control = "comlink/1"
  /// A pairing by PIN.
  case pairing = "comlink-pair/1"
}
