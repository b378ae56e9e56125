/// Why a text is not an address.
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
  /// Neither an address nor what a host can be called.
  case malformedName(text: String, host: String)
  /// The name after `%` is no network interface of this machine.
  case unknownScope(text: String, scope: String)
  /// A name where only a numeric address will do.
  case name(text: String, host: String)
  /// The name could not be looked up; `reason` is the resolver's.
  case unresolvable(text: String, host: String, reason: String)
}

extension AddressError: CustomStringConvertible {
  /// One sentence that names the bad part and what to write instead.
  public var description: String {
    switch self {
    case .noPort(let text):
      "“\(text)” has no port: write ADDRESS:PORT, for example 192.0.2.1:5004 or [2001:db8::1]:5004"
    case .malformedPort(let text, let port):
      "“\(port)” in “\(text)” is not a port number"
    case .portOutOfRange(let text, let port):
      "port \(port) in “\(text)” is out of range: ports go from 0 to 65535"
    case .noHost(let text):
      "“\(text)” has no address before the port"
    case .missingBrackets(let text):
      "“\(text)” looks like an IPv6 address: write it in brackets, as [ADDRESS]:PORT"
    case .malformedBrackets(let text):
      "“\(text)” has brackets out of place: write [ADDRESS]:PORT"
    case .malformedIPv4(let text, let host):
      "“\(host)” in “\(text)” is not an IPv4 address: it has four numbers from 0 to 255"
    case .malformedIPv6(let text, let host):
      "“\(host)” in “\(text)” is not an IPv6 address"
    case .malformedName(let text, let host):
      "“\(host)” in “\(text)” is neither an address nor a host name"
    case .unknownScope(let text, let scope):
      "“\(scope)” in “\(text)” is not a network interface of this machine"
    case .name(let text, let host):
      "“\(host)” in “\(text)” is a name where a numeric address is needed"
    case .unresolvable(let text, let host, let reason):
      "cannot find the address of “\(host)” in “\(text)”: \(reason)"
    }
  }
}
