internal import StatusSchema

/// Whether nodes can find each other by DNS-SD, which takes multicast.
struct MulticastCheck: Check {
  /// An interface that is up and leads to others.
  struct Interface: Hashable, Sendable {
    var name: String
    var hasMulticast: Bool
    /// Whether some program listens to the group of DNS-SD, 224.0.0.251, there.
    var isInGroup: Bool
  }

  var interfaces: [Interface]
  /// A default route, or one for multicast.
  var hasRoute: Bool
  /// Whether some program listens on UDP port 5353.
  var isPortServed: Bool
  /// Whether a daemon runs that others are to find; nil: none runs.
  var isDaemonOpen: Bool?
}

extension MulticastCheck {
  /// IFF_UP, IFF_LOOPBACK and IFF_MULTICAST (netdevice(7)).
  private static let (up, loopback, multicast) = (0x1, 0x8, 0x1000)
  /// 224.0.0.251 and port 5353 as the kernel writes them.
  private static let (group, port) = ("FB0000E0", ":14E9")

  init(_ system: System) {
    let (files, folder) = (system.files, "/sys/class/net")
    let members = Self.members(files.lines("/proc/net/igmp"))
    interfaces = files.names(in: folder).compactMap { name in
      let text = files.text("\(folder)/\(name)/flags") ?? ""
      guard text.hasPrefix("0x"), let flags = Int(text.dropFirst(2), radix: 16),
        flags & Self.up != 0, flags & Self.loopback == 0
      else { return nil }
      return Interface(
        name: name, hasMulticast: flags & Self.multicast != 0, isInGroup: members.contains(name))
    }
    hasRoute = files.lines("/proc/net/route").dropFirst().contains { line in
      let destination = line.split(separator: "\t").dropFirst().first
      return destination == "00000000" || destination == "000000E0"
    }
    isPortServed = ["/proc/net/udp", "/proc/net/udp6"].contains { path in
      files.lines(path).contains { line in
        line.split(separator: " ").dropFirst().first?.hasSuffix(Self.port) == true
      }
    }
    isDaemonOpen = system.patient.status.map {
      !$0.node.listen.hasPrefix("127.") && !$0.node.listen.hasPrefix("[::1]")
    }
  }

  var findings: [Finding] {
    guard !interfaces.isEmpty else {
      return [
        Finding(
          check: "network", level: .problem, seen: "no network interface is up",
          meaning: "This node can reach no other.",
          fix: ["plug in the cable or join the Wi-Fi; ip link shows the interfaces"])
      ]
    }
    return flags + route + listeners
  }

  private var flags: [Finding] {
    let names = interfaces.map(\.name).joined(separator: ", ")
    let deaf = interfaces.filter { !$0.hasMulticast }
    guard !deaf.isEmpty else {
      return [Finding(check: "multicast", level: .ok, seen: "works on \(names)")]
    }
    return deaf.map {
      Finding(
        check: "multicast", level: .advice, seen: "off on \($0.name)",
        meaning: "Discovery does not find nodes there.",
        fix: ["sudo ip link set dev \($0.name) multicast on, or name one node: --peer ADDR:PORT"])
    }
  }

  private var route: [Finding] {
    guard !hasRoute else { return [] }
    return [
      Finding(
        check: "route", level: .advice, seen: "neither a default route nor one for multicast",
        meaning: "Programs that do not choose an interface cannot send to multicast groups.",
        fix: ["sudo ip route add 224.0.0.0/4 dev \(interfaces[0].name)"])
    ]
  }

  private var listeners: [Finding] {
    guard isDaemonOpen == true, interfaces.contains(where: \.hasMulticast) else { return [] }
    if isPortServed, interfaces.contains(where: \.isInGroup) {
      return [
        Finding(
          check: "discovery", level: .ok, seen: "a responder listens on port 5353 and 224.0.0.251")
      ]
    }
    return [
      Finding(
        check: "discovery", level: .advice,
        seen: isPortServed
          ? "nothing listens to the group 224.0.0.251" : "nothing listens on UDP port 5353",
        meaning:
          "This node finds no others and they do not find it; was it started with --no-discovery?",
        fix: ["comlinkd --discovery, or name one node: --peer ADDR:PORT"])
    ]
  }

  /// The interfaces in the group: a line with its number and name, then one for each of its groups.
  private static func members(_ lines: [Substring]) -> Set<String> {
    var (members, name) = (Set<String>(), "")
    for line in lines.dropFirst() {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == ":" }
      if line.first?.isNumber == true {
        name = words.count > 1 ? String(words[1]) : ""
      } else if words.first == Substring(group) {
        members.insert(name)
      }
    }
    return members
  }
}
