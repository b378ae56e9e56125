internal import Mesh

/// An instance as it is browsed: seen on one interface by one protocol.
struct ServiceInstance: Hashable, Sendable {
  var interface: Int32
  var isIPv6: Bool
  var name: String
  var domain: String
}

/// Where an instance is, and its TXT data.
struct ServiceResolution: Hashable, Sendable {
  /// With the interface as scope if it is for one link only.
  var address: NodeAddress
  /// Empty: none came, or far too much.
  var text: [UInt8]
  /// Whether there was far too much.
  var isTextOversized = false
}

extension NodeAddress {
  /// Whether another host can have it, or this one if `isLocal`: no multicast, nothing that means nobody, or oneself.
  func isUsable(isLocal: Bool) -> Bool {
    guard port != 0 else { return false }
    switch host {
    case .observed: return false
    case .ipv4(let bits):
      let first = bits >> 24
      return first != 0 && first < 224 && (first != 127 || isLocal)
    case .ipv6(let high, let low):
      // Unspecified and loopback; IPv4 within IPv6 belongs in an A record.
      if high == 0 { return low == 1 && isLocal }
      return high >> 56 != 0xFF && (!isLinkLocal || scope != 0)
    }
  }
}
