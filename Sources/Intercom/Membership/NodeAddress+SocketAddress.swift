public import EventLoop
public import Mesh

extension NodeAddress {
  /// A socket's address as the mesh writes it.
  public init(_ address: SocketAddress) {
    let host: Host =
      address.ipv4Bits.map { .ipv4($0) }
      ?? .ipv6(address.ipv6Halves.high, address.ipv6Halves.low)
    self.init(host, port: address.port, scope: address.scope)
  }
}

extension SocketAddress {
  /// The socket address of a mesh address; nil: only its receiver knows the host.
  init?(_ address: NodeAddress) {
    switch address.host {
    case .observed: return nil
    case .ipv4(let bits): self.init(ipv4: bits, port: address.port)
    case .ipv6(let high, let low):
      self.init(ipv6: high, low, scope: address.scope, port: address.port)
    }
  }
}
