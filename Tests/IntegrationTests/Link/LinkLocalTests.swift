import Remote
import StatusSchema
import Testing

@testable import TestRig

/// Nodes whose only addresses are link-local ones; of IPv6 they mean something on one interface of each.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct LinkLocalTests {
  enum Family: CaseIterable {
    case ipv4
    case ipv6
  }

  private let circle: Circle
  private let link: LinkProcess

  init() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    link = try LinkProcess([], in: directory)
    circle = try Circle(in: directory)
  }

  @Test(arguments: Family.allCases)
  func `nodes of a group find each other by DNS-SD and hear each other`(family: Family) throws {
    _ = try hosts(family)
    let a = try circle.node("A", options: options(0, family, discovers: true))
    let b = try circle.node("B", options: options(1, family, discovers: true))
    try expectTalk(a, b, of: try circle.group("crew", of: a))
    let known = try circle.knownNodes(of: b)
    #expect(known.first { $0.name == "A" }?.admission == "group")
  }

  @Test(arguments: Family.allCases)
  func `a node called by address, and by interface, is heard, and hears`(family: Family) throws {
    let hosts = try hosts(family)
    let a = try circle.node("A", options: options(0, family))
    let b = try circle.node("B", options: options(1, family, calling: hosts[0]))
    try expectTalk(a, b, of: try circle.group("crew", of: a))
  }

  @Test(arguments: Family.allCases)
  func `a node that listens at its link-local address alone is heard, and hears`(
    family: Family
  ) throws {
    let hosts = try hosts(family)
    var own = options(0, family)
    own.address = hosts[0]
    let a = try circle.node("A", options: own)
    let b = try circle.node("B", options: options(1, family, calling: hosts[0]))
    try expectTalk(a, b, of: try circle.group("crew", of: a))
  }

  @Test(arguments: Family.allCases, [true, false])
  func `they are back after an outage, and after a restart`(
    family: Family, discovers: Bool
  ) throws {
    let hosts = try hosts(family)
    let first = options(0, family, discovers: discovers)
    let a = try circle.node("A", options: first)
    let b = try circle.node(
      "B", options: options(1, family, calling: discovers ? nil : hosts[0], discovers: discovers))
    try expectTalk(a, b, of: try circle.group("crew", of: a))
    try link.split([[0], [1]])
    try waitUntil("both to be alone", within: 15) { () throws(RigError) in
      let counts = (try a.status().peers.count, try b.status().peers.count)
      return counts == (0, 0)
    }
    try link.join()
    try expectTalk(a, b)
    a.process.send(signal: 9)
    _ = try a.process.wait(within: 5)
    // JACK's server frees the client's name a moment after its end.
    pause(seconds: 0.5)
    try expectTalk(try circle.node("A", options: first), b)
  }

  /// Takes all other addresses away.
  ///
  /// - Returns: how the nodes' hosts are written before a port.
  private func hosts(_ family: Family) throws -> [String] {
    let hosts = try (0...1).map { index in
      switch family {
      case .ipv4: try link.keepLinkLocalIPv4(of: index)
      case .ipv6: "[\(try link.keepLinkLocalIPv6(of: index))%eth0]"
      }
    }
    for index in 0...1 {
      let all = try link.configure(index, ["-oneline", "address", "show", "dev", "eth0"])
      #expect(all.split(separator: "\n").count == 1 && all.contains("scope link"), "\(all)")
    }
    return hosts
  }

  private func options(
    _ index: Int, _ family: Family, calling host: String? = nil, discovers: Bool = false
  ) -> NodeProcess.Options {
    var options = NodeProcess.Options(port: 5004)
    options.address = family == .ipv4 ? "0.0.0.0" : "[::]"
    options.namespace = link.namespace(index)
    options.policy = "group-only"
    options.discovers = discovers
    // A D-Bus that is not there, or it would have the machine's, and so its avahi-daemon.
    options.environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
    options.arguments = host.map { ["--peer", "\($0):5004"] } ?? []
    return options
  }

  /// - Parameter invitation: to the first one's group, which the second is to join.
  private func expectTalk(
    _ a: NodeProcess, _ b: NodeProcess, of invitation: SecretText? = nil
  ) throws {
    if let invitation { _ = try b.ask(.groupJoin(invitation: invitation)) }
    try circle.wait(for: a, toHear: "B")
    try circle.wait(for: b, toHear: "A")
  }
}
