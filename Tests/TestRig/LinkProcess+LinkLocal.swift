/// Networks without a router or a DHCP server.
extension LinkProcess {
  /// Leaves a node nothing but IPv6's link-local address, and adds a second interface that has one too and leads
  /// nowhere, so that an address without its interface, or with the wrong one, is of no use.
  ///
  /// - Returns: the address that the others reach, without an interface.
  /// - Throws: `RigError`.
  public func keepLinkLocalIPv6(of index: Int) throws(RigError) -> String {
    try configure(index, ["address", "flush", "dev", "eth0", "scope", "global"])
    try configure(
      index, ["link", "add", "nowhere", "type", "veth", "peer", "name", "nowhere-end"])
    for device in ["nowhere", "nowhere-end"] {
      try configure(index, ["link", "set", device, "up"])
    }
    var found: String?
    try waitUntil("a link-local address", within: 10, interval: 0.05) { () throws(RigError) in
      // As long as the kernel looks for duplicates nobody may use it.
      let line = try configure(
        index, ["-6", "-oneline", "address", "show", "dev", "eth0", "-tentative"])
      found = line.split { " /".contains($0) }.first { $0.hasPrefix("fe80:") }.map(String.init)
      return found != nil
    }
    return found ?? ""
  }

  /// Leaves a node nothing but a link-local address of IPv4,
  /// as systems give themselves where nobody else does (RFC 3927).
  ///
  /// - Returns: the address.
  /// - Throws: `RigError`.
  public func keepLinkLocalIPv4(of index: Int) throws(RigError) -> String {
    let address = "169.254.77.\(index + 1)"
    try configure(index, ["address", "flush", "dev", "eth0"])
    try configure(
      index, ["address", "add", "\(address)/16", "dev", "eth0", "scope", "link"])
    return address
  }
}
