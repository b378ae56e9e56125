internal import Cryptography
internal import Mesh

/// The table of nodes present, from instances that appear, are resolved and disappear; sans-I/O.
///
/// An instance is *waiting* (to be resolved), *resolving*, or *resolved*: it then belongs to the node that its TXT data
/// names and is watched on. Events move it:
///
///     appeared     -> waiting; when all room is taken, in place of a random waiting one
///     room         waiting -> resolving: by chance, not in order,
///     so that a flood of names that nobody answers for cannot
///                  keep a true one waiting behind it
///     resolved     -> resolved; out if it is ourselves, malformed or has no room
///     asked anew   -> waiting, where it was resolved
///     failed       -> waiting, 2 s later and once more 4 s later, then out
///     disappeared  -> out
///
/// A node is told as found 100 ms after its first instance was resolved, so that its addresses come together, and so
/// again when it changes; as lost with its last instance. After a change of the backend all instances are out, and its
/// nodes have 5 s to come back. Where there is no room for a node that hints at a group of ours, one that does not is
/// put out; where a node has no room for an instance, another of it.
/// What was put out for want of room or answer may be there all the same: a minute later browsing begins anew.
struct ServiceTable {
  /// Limits against a hostile network.
  struct Limits: Sendable {
    var nodes = 128
    var instancesPerNode = 8
    /// CAvahi has as many resolvers.
    var instances = 512
    var resolving = 96
    /// A node on one interface has two instances: 32 nodes at once.
    var resolutionBurst = 64
    var resolutionsPerSecond = 64
    var eventBurst = 256
    var eventsPerSecond = 64
    var attempts: Int64 = 3
  }

  /// What to do for it.
  enum Action: Sendable {
    case resolve(UInt32, ServiceInstance)
    case stopResolving(UInt32)
    case browse
    case tell(DiscoveryEvent)
  }

  enum State {
    case waiting(dueNanoseconds: Int64)
    case resolving(UInt32)
    case resolved(UInt32)
  }

  struct Entry {
    var state: State
    var isLocal: Bool
    /// How often it was not resolved.
    var failures: Int64 = 0
    /// The node it was resolved to, and where: kept while it is resolved again.
    var found: (node: NodeID, address: NodeAddress)?
  }

  struct Told: Equatable {
    var announcement: Announcement
    var name: String
    var softwareVersion: String
  }

  struct Node {
    var text: ServiceText
    var sharesGroup: Bool
    var instances: [ServiceInstance] = []
    var told: Told?
    /// When what changed is told.
    var dueNanoseconds: Int64?
    /// When it is lost unless an instance comes back.
    var lostNanoseconds: Int64?
  }

  static let tellingDelayNanoseconds: Int64 = 100_000_000
  static let retryNanoseconds: Int64 = 2_000_000_000
  static let graceNanoseconds: Int64 = 5_000_000_000
  static let browsingNanoseconds: Int64 = 60_000_000_000

  let own: NodeID
  let limits: Limits
  private(set) var groups: [Group]
  var counters = DiscoveryCounters()

  var entries: [ServiceInstance: Entry] = [:]
  var waiting: [ServiceInstance] = []
  var watched: [UInt32: ServiceInstance] = [:]
  var resolvingCount = 0
  var nodes: [NodeID: Node] = [:]
  var actions: [Action] = []
  var resolutions: TokenBucket
  var events: TokenBucket
  var chance: any RandomNumberGenerator & Sendable
  var nextToken: UInt32 = 1
  /// When browsing begins anew, if something was put out.
  var browseNanoseconds: Int64?

  init(
    own: NodeID, groups: [Group], limits: Limits = Limits(),
    chance: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.own = own
    self.groups = groups
    self.limits = limits
    resolutions = TokenBucket(
      burst: limits.resolutionBurst, perSecond: limits.resolutionsPerSecond)
    events = TokenBucket(burst: limits.eventBurst, perSecond: limits.eventsPerSecond)
    self.chance = chance
  }

  /// What is to be done, in order; then forgotten.
  mutating func takeActions() -> [Action] {
    defer { actions.removeAll(keepingCapacity: true) }
    counters.nodes = nodes.count
    counters.instances = entries.count
    return actions
  }

  /// Our groups changed.
  mutating func regroup(_ groups: [Group], nowNanoseconds now: Int64) {
    self.groups = groups
    for id in Array(nodes.keys) {
      guard let text = nodes[id]?.text else { continue }
      nodes[id]?.sharesGroup = text.sharesGroup(with: groups)
      touch(id, now)
    }
  }

  /// Nobody browses and resolves any more: another backend will.
  mutating func forgetInstances(nowNanoseconds now: Int64) {
    entries.removeAll()
    waiting.removeAll()
    watched.removeAll()
    resolvingCount = 0
    browseNanoseconds = nil
    for id in Array(nodes.keys) {
      nodes[id]?.instances.removeAll()
      nodes[id]?.lostNanoseconds = now + Self.graceNanoseconds
    }
  }

  /// Does what is due.
  mutating func advance(nowNanoseconds now: Int64) {
    if let due = browseNanoseconds, due <= now {
      browseNanoseconds = nil
      actions.append(.browse)
    }
    resolveSome(now)
    tellChanges(now)
  }

  /// When to call ``advance(nowNanoseconds:)`` next.
  var nextDeadlineNanoseconds: Int64? {
    var deadline = browseNanoseconds
    func consider(_ time: Int64?) {
      if let time { deadline = min(deadline ?? time, time) }
    }
    for node in nodes.values {
      consider(node.lostNanoseconds ?? node.dueNanoseconds)
    }
    if resolvingCount < limits.resolving {
      for instance in waiting {
        if case .waiting(let due)? = entries[instance]?.state { consider(due) }
      }
    }
    return deadline
  }
}
