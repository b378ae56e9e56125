import Cryptography
import Discovery
import Glibc
import Mesh
import Synchronization

/// `comlink-discover NUMBER NAME PORT GROUPS`: a node of the tests that does nothing but discover.
///
/// NUMBER makes its ID, GROUPS are numbers with commas or `-`. Events are printed, a line each, behind the milliseconds
/// of the system's monotonic clock:
///
///     4000 started
///     4421 found NUMBER shares 10.0.0.2:5000,[fe80::1%2]:5000 0.1 Stage left
///     9000 lost NUMBER
///     4003 backend avahi-daemon
///     4003 problem no words
///
/// It takes commands, a line each: `name NAME`, `groups GROUPS`, `port PORT`, `counters`, `stop`;
/// at the end of input it stops.
///
/// `comlink-discover flood COUNT ADDRESS` announces so many made up nodes from an address of this host instead,
/// `comlink-discover aliases SECONDS ADDRESS` some whose hosts are aliases without end.
@main struct DiscoverProgram {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 4, arguments[1] == "flood" {
      exit(Flood(count: Int(arguments[2]) ?? 0, address: arguments[3]).run() ? 0 : 71)
    }
    if arguments.count == 4, arguments[1] == "aliases" {
      exit(Aliases(seconds: Int(arguments[2]) ?? 0, address: arguments[3]).run() ? 0 : 71)
    }
    guard arguments.count == 5, let number = UInt8(arguments[1]), let port = UInt16(arguments[3])
    else {
      say("usage: comlink-discover NUMBER NAME PORT GROUPS")
      exit(64)
    }
    say("started")
    var service = ServiceDescription(
      node: node(number), name: arguments[2], softwareVersion: "0.1", port: port,
      groups: try groups(arguments[4]))
    let discovery = Discovery(service: service) { event in
      say(words(event))
    }
    try discovery.start()
    while let line = readLine() {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch parts.first {
      case "name": service.name = parts[1]
      case "groups": service.groups = try groups(parts[1])
      case "port": service.port = UInt16(parts[1]) ?? 0
      case "counters":
        say("counters \(discovery.counters)")
        continue
      default:
        stop(discovery)
        continue
      }
      discovery.update(service)
    }
    stop(discovery)
  }

  private static func stop(_ discovery: Discovery) {
    say("stopping")
    discovery.stop()
    say("stopped")
  }

  private static func words(_ event: DiscoveryEvent) -> String {
    switch event {
    case .found(let announcement, let name, let version):
      let shares = announcement.sharesGroup ? "shares" : "stranger"
      let addresses = announcement.addresses.map(text).joined(separator: ",")
      return "found \(announcement.node.octets[0]) \(shares) \(addresses) \(version) \(name)"
    case .lost(let node): return "lost \(node.octets[0])"
    case .backendChanged(let backend): return "backend \(backend.rawValue)"
    case .problem(let words): return "problem \(words)"
    }
  }

  private static func text(_ address: NodeAddress) -> String {
    switch address.host {
    case .observed: return "observed:\(address.port)"
    case .ipv4(let bits):
      let octets = ([24, 16, 8, 0] as [UInt32]).map { String(bits >> $0 & 0xFF) }
      return "\(octets.joined(separator: ".")):\(address.port)"
    case .ipv6(let high, let low):
      let groups = [high, low].flatMap { (half: UInt64) -> [String] in
        ([48, 32, 16, 0] as [UInt64]).map { String(half >> $0 & 0xFFFF, radix: 16) }
      }
      let scope = address.scope == 0 ? "" : "%\(address.scope)"
      return "[\(groups.joined(separator: ":"))\(scope)]:\(address.port)"
    }
  }

  private static func node(_ number: UInt8) -> NodeID {
    guard let node = NodeID(octets: [UInt8](repeating: number, count: NodeID.byteCount)) else {
      preconditionFailure("an ID of another length")
    }
    return node
  }

  private static func groups(_ text: String) throws -> [Group] {
    try text.split(separator: ",").compactMap { UInt8($0) }.map { number in
      let octets = [UInt8](repeating: number, count: Group.secretByteCount)
      return try Group(
        name: "group \(number)", secret: unsafe SecretBytes(copying: octets.span.bytes))
    }
  }

  private static let output = Mutex(())

  private static func say(_ line: String) {
    output.withLock { _ in
      let octets = Array("\(milliseconds()) \(line)\n".utf8)
      _ = unsafe write(1, octets, octets.count)
    }
  }

  private static func milliseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
