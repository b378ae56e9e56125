extension NodeID: CustomStringConvertible {
  /// The first eight octets as hexadecimal digits, enough for a log line.
  public var description: String {
    octets.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
