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
    case .unknownScope(let text, let scope):
      "“\(scope)” in “\(text)” is not a network interface of this machine"
    case .name(let text, let host):
      "“\(host)” in “\(text)” is a name where a numeric address is needed"
    case .unresolvable(let text, let host, let reason):
      "cannot find the address of “\(host)” in “\(text)”: \(reason)"
    }
  }
}
