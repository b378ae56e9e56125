import Cryptography
import Mesh
import TestKit

@testable import Discovery

/// A table with a clock that is moved by hand, and a network that answers what it is told to.
struct TableBench {
  var table: ServiceTable
  var now: Int64 = 0
  /// Resolutions that go on.
  var open: [UInt32: ServiceInstance] = [:]
  var begun = 0
  var browsed = 0
  /// What was told since this was emptied.
  var events: [DiscoveryEvent] = []
  /// What the network answers; nil: nothing.
  var answer: (ServiceInstance) -> ServiceResolution? = { _ in nil }

  init(groups: [Group] = [], limits: ServiceTable.Limits = ServiceTable.Limits()) {
    table = ServiceTable(own: node(0), groups: groups, limits: limits, chance: SplitMix64(seed: 1))
  }

  static func instance(_ name: String, interface: Int32 = 2, isIPv6: Bool = false)
    -> ServiceInstance
  {
    ServiceInstance(interface: interface, isIPv6: isIPv6, name: name, domain: "local")
  }

  static func resolution(
    _ number: Int, name: String = "A", address: NodeAddress? = nil, groups: [Group] = []
  ) -> ServiceResolution {
    let service = ServiceDescription(
      node: node(number), name: name, softwareVersion: "1", port: 1, groups: groups)
    return ServiceResolution(
      address: address
        ?? NodeAddress(.ipv4(0x0A00_0000 + UInt32(truncatingIfNeeded: number)), port: 5),
      text: ServiceText(service, salt: GroupHint.Salt()).octets)
  }

  /// Lets the table do what is due, and the network answer, until nothing follows any more.
  mutating func settle() {
    while true {
      table.advance(nowNanoseconds: now)
      let actions = table.takeActions()
      if actions.isEmpty { return }
      for action in actions { perform(action) }
    }
  }

  private mutating func perform(_ action: ServiceTable.Action) {
    switch action {
    case .resolve(let token, let instance):
      begun += 1
      open[token] = instance
      if let resolution = answer(instance) {
        table.resolved(token, resolution, nowNanoseconds: now)
      }
    case .stopResolving(let token): open[token] = nil
    case .browse: browsed += 1
    case .tell(let event): events.append(event)
    }
  }

  /// Moves the clock from deadline to deadline.
  mutating func pass(milliseconds: Int64) {
    let end = now + milliseconds * 1_000_000
    settle()
    var steps = 0
    while let deadline = table.nextDeadlineNanoseconds, deadline <= end {
      now = max(deadline, now)
      settle()
      steps += 1
      precondition(steps < 1_000_000, "the clock stands still")
    }
    now = end
    settle()
  }

  func token(of instance: ServiceInstance) -> UInt32? {
    open.first { $0.value == instance }?.key
  }

  /// What was told, in short, and forgets it.
  mutating func takeWords() -> [String] {
    defer { events.removeAll() }
    return events.map { event in
      switch event {
      case .found(let announcement, let name, _):
        "found \(name) \(announcement.addresses.count)\(announcement.sharesGroup ? " shares" : "")"
      case .lost: "lost"
      case .backendChanged(let backend): backend.rawValue
      case .problem(let words): words
      }
    }
  }
}
