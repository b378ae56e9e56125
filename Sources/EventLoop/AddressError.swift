/// Why a text is no address to talk to.
///
/// Every case carries the text as it was given.
public enum AddressError: Error, Equatable, Sendable {
  /// No `:PORT` at the end.
  case noPort(text: String)
  /// The port is not a number.
  case malformedPort(text: String, port: String)
  /// The port is not within 0 … 65535.
  case portOutOfRange(text: String, port: String)
  /// Nothing before the port.
  case noHost(text: String)
  /// An IPv6 address without the brackets that tell its colons from the port's.
  case missingBrackets(text: String)
  /// `[` without `]`, or something between `]` and the port.
  case malformedBrackets(text: String)
  /// Dots and digits that are no IPv4 address.
  case malformedIPv4(text: String, host: String)
  /// Something between brackets that is no IPv6 address.
  case malformedIPv6(text: String, host: String)
  /// The name after `%` is no network interface of this machine.
  case unknownScope(text: String, scope: String)
  /// A name where only a numeric address will do.
  case name(text: String, host: String)
  /// The name could not be looked up; `reason` is the resolver's.
  case unresolvable(text: String, host: String, reason: String)
}
