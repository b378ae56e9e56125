import CUring

extension SocketAddress {
  /// From the C side's form, which is normalised already.
  init(_ address: uring_address) {
    if address.is_ipv6 {
      self.init(ipv6: address.high, address.low, scope: address.scope, port: address.port)
    } else {
      self.init(ipv4: UInt32(truncatingIfNeeded: address.low), port: address.port)
    }
  }

  /// The C side's form.
  var uringAddress: uring_address {
    uring_address(high: high, low: low, scope: scope, port: port, is_ipv6: family == .ipv6)
  }
}
