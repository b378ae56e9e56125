import EventLoop

/// Something with addresses on a virtual network.
protocol VirtualHost: AnyObject {
  /// One in each network it is part of.
  var addresses: [SocketAddress] { get }
  /// When it runs next, whatever comes.
  var nextNanoseconds: Int64 { get }
  /// Lets it act on what came, oldest first; returns what it sends, source addresses yet to be filled in.
  func run(nowNanoseconds: Int64, arrivals: [Datagram]) -> [Datagram]
}

extension SocketAddress {
  /// Host `number` in the virtual network 10.0.`network`.0/24.
  static func host(_ number: Int, network: Int = 1) -> SocketAddress {
    SocketAddress(ipv4: UInt32(0x0A00_0000 | network << 8 | number), port: 5004)
  }

  /// Whether two addresses are of the same virtual network.
  func sharesNetwork(with other: SocketAddress) -> Bool {
    let parts = description.split(separator: ".")
    return parts.prefix(3) == other.description.split(separator: ".").prefix(3)
  }
}
