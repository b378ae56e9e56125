import Remote
import StatusSchema

/// A group of stations in network namespaces of their own, joined by the emulated link, to which things happen.
///
/// Each station has a JACK server, says a tone, and listens to each of the others by itself; nobody names
/// anybody: they find each other by DNS-SD. Needs root.
public final class Deployment {
  /// The network.
  public let link: LinkProcess
  /// The stations, in the order of their namespaces.
  public let sites: [Site]
  /// Ears that a JACK server ran no more, though it ran: on a machine at its limits jackd gives a client up.
  ///
  /// They are instruments, and judge nobody then.
  public private(set) var replacedEars = 0
  /// Some three seconds.
  private static let mostIdleLooks = 20

  /// Starts all of it and waits until everybody hears everybody.
  ///
  /// - Parameters:
  ///   - siteCount: stations, at most eight: a machine has room for as many JACK servers.
  ///   - linkOptions: of `comlink-link`.
  ///   - driftsPPM: how much faster than the machine's the servers' clocks run, site by site; the rest run as it.
  /// - Throws: `RigError`.
  public init(
    siteCount: Int = 3, linkOptions: [String] = [], driftsPPM: [Double] = [],
    in directory: TemporaryDirectory
  ) throws(RigError) {
    let link = try LinkProcess(nodeCount: siteCount, linkOptions, in: directory)
    self.link = link
    sites = try (0..<siteCount).map { index throws(RigError) in
      try Site(
        index: index, of: siteCount, namespace: link.namespace(index),
        driftPPM: index < driftsPPM.count ? driftsPPM[index] : 0, in: directory)
    }
    for site in sites { try site.node.waitUntilReady(within: 20) }
    guard case .invitation(let text) = try sites[0].node.ask(.groupNew(name: "crew")) else {
      throw .status(reason: "no invitation to a group")
    }
    for site in sites.dropFirst() { _ = try site.node.ask(.groupJoin(invitation: text)) }
    for site in sites { try site.listen() }
    _ = try secondsUntilWhole(within: 30)
  }

  /// Ends everything; twice is harmless.
  public func stop() {
    for site in sites { site.stop() }
    _ = link.end()
  }

  /// Waits until every station hears every other.
  ///
  /// - Returns: how long that took.
  /// - Throws: `RigError.timeout` with who hears whom, and the ends of the logs.
  public func secondsUntilWhole(within seconds: Double) throws(RigError) -> Double {
    let start = monotonicNanoseconds()
    var last = sites.map(\.audibility)
    var heard: [Audibility] = []
    var idleLooks = sites.map { _ in 0 }
    try waitUntil(
      "everybody to hear everybody", within: seconds, interval: 0.15,
      detail: {
        let ends = sites.map { $0.node.process.outputTail(lines: 6) }
        return "cycles and those heard: \(heard)\n" + ends.joined(separator: "\n--\n")
      }
    ) { () throws(RigError) in
      let now = sites.map(\.audibility)
      defer { last = now }
      heard = zip(now, last).map { $0.since($1) }
      for (index, site) in sites.enumerated() {
        idleLooks[index] = heard[index].cycles > 0 ? 0 : idleLooks[index] + 1
        guard idleLooks[index] == Self.mostIdleLooks else { continue }
        try site.replaceEar()
        replacedEars += 1
      }
      return heard.allSatisfy { $0.cycles > 0 && $0.audible.allSatisfy { $0 > 0 } }
        && heard.allSatisfy { heard in heard.audible.allSatisfy { 2 * $0 > heard.cycles } }
    }
    return Double(monotonicNanoseconds() - start) / 1e9
  }
}
