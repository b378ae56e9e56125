/// Where frames go: an Ethernet switch's memory of who is behind which port, and which ports are cut off from which.
struct Switchboard {
  static let headerBytes = 14
  /// More addresses than that are not remembered, their frames go everywhere.
  static let capacity = 1024

  private let portCount: Int
  private var portOfAddress: [UInt64: Int] = [:]
  /// The part of the switch that each port belongs to; frames stay in theirs.
  private var parts: [Int]

  init(portCount: Int) {
    self.portCount = portCount
    parts = Array(repeating: 0, count: portCount)
  }

  /// Splits the switch, by the number of each port's part, or makes it whole where all are the same.
  mutating func split(into parts: [Int]) {
    precondition(parts.count == portCount, "each port has a part")
    self.parts = parts
  }

  /// Remembers the sender and tells the ports to send a frame to; none for what is no frame.
  mutating func destinations(of frame: [UInt8], from port: Int) -> [Int] {
    guard frame.count >= Self.headerBytes else { return [] }
    let source = Self.address(frame[6..<12])
    if portOfAddress[source] != nil || portOfAddress.count < Self.capacity {
      portOfAddress[source] = port
    }
    // The lowest bit of the first octet tells groups, broadcast among them (IEEE 802, 8.2.2).
    if frame[0] & 1 == 0, let known = portOfAddress[Self.address(frame[0..<6])] {
      return known == port || parts[known] != parts[port] ? [] : [known]
    }
    return (0..<portCount).filter { $0 != port && parts[$0] == parts[port] }
  }

  private static func address(_ octets: ArraySlice<UInt8>) -> UInt64 {
    octets.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
