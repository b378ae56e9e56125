internal import ControlPlane
internal import Cryptography
internal import Discovery
internal import EventLoop
internal import Habits
internal import Intercom
internal import Logging
internal import Mesh
internal import Remote
internal import Store

/// Everything between this node and the others but media: control connections, membership, discovery, pairing.
struct Connections: Sendable {
  /// For goodbyes to be sent when this node ends, within a second all in all.
  private static let closeNanoseconds: Int64 = 500_000_000

  let membership: Membership
  let pairing: Pairing
  let announcer: Announcer
  /// What the membership told since its beginning; for one who listens.
  let news: AsyncStream<MembershipEvent>
  private let plane: ControlPlane
  private let discovery: Discovery?
  private let watch: NetworkWatch?

  /// Listens, and calls who is to be called.
  init(
    _ settings: Configuration, named name: NodeName, listen: SocketAddress, node: Intercom,
    state: NodeState, writer: StateWriter, lines: LineService, captions: CaptionService,
    problems: KeepingProblems, log: Logger
  ) async throws(DaemonError) {
    let router = ControlRouter(log: log)
    plane = try Self.plane(at: listen, state, router)
    let satellite = settings.speech.announcedSatellitePort
    let (found, finds) = AsyncStream.makeStream(
      of: DiscoveryEvent.self, bufferingPolicy: .bufferingNewest(1024))
    let service = Announcer.service(name, state, port: listen.port, satellite)
    let isSilent = listen.isLoopback || !settings.discovers
    let discovery = isSilent ? nil : Discovery(service: service) { finds.yield($0) }
    let (news, teller) = AsyncStream.makeStream(of: MembershipEvent.self)
    self.news = news
    let membership = Membership(
      configuration: MeshConfiguration(
        node: state.id, instance: state.instance,
        profile: Self.profile(settings, media: node.localAddress.port, control: listen.port),
        policy: settings.policy, memory: state.memory),
      node: node,
      parts: MembershipParts(
        transport: plane, takesIPv6: node.localAddress.family == .ipv6,
        names: state.names.entries.mapValues(\.wish),
        rediscover: { discovery?.rediscover($0) },
        store: { await Self.store($0, in: state, by: writer, problems) },
        report: {
          Self.tell($0, log, teller)
          lines.note($0)
          captions.note($0)
        }))
    self.membership = membership
    // Who calls from the first moment on finds everything in its place.
    await membership.start()
    let pairing = Pairing(plane: plane, membership: membership, state: state, log: log)
    self.pairing = pairing
    router.attach(membership, pairing)
    do throws(ControlPlaneError) {
      try await plane.start()
    } catch {
      await plane.stop()
      throw .connections(error)
    }
    let control = plane.localAddress.port
    if control != listen.port {
      let profile = Self.profile(settings, media: node.localAddress.port, control: control)
      await membership.handle(.describe(profile))
    }
    await membership.tellEffect(await node.voiceEffect)
    watch = Self.watch(plane, membership, node, log)
    discovery?.update(Announcer.service(name, state, port: control, satellite))
    self.discovery = Self.start(discovery, found, membership, log)
    let announcer = Announcer(
      plane: plane, discovery: discovery, name: name, state: state, satellitePort: satellite)
    self.announcer = announcer
    await pairing.tell(announcer)
    await Self.send(settings.patches.allInputs.count, by: membership, log)
    for peer in settings.peers { await membership.name(peer.text) }
  }

  /// Lets members hear the inputs beside the microphone.
  private static func send(_ inputs: Int, by membership: Membership, _ log: Logger) async {
    for source in 0..<inputs {
      do {
        try await membership.openStream(ofSource: source + 1)
      } catch {
        log.event(.controlFault, at: .warning, "an input is not sent: \(error); restart comlinkd")
      }
    }
  }

  private static func plane(
    at listen: SocketAddress, _ state: NodeState, _ router: ControlRouter
  ) throws(DaemonError) -> ControlPlane {
    var configuration = ControlPlaneConfiguration(address: NodeAddress(listen))
    configuration.times.closeNanoseconds = closeNanoseconds
    do throws(ControlPlaneError) {
      return try ControlPlane(
        configuration: configuration, identity: state, groups: { state.groups }, handler: router)
    } catch {
      throw .connections(error)
    }
  }

  /// The node is called otherwise: members and network are told.
  func rename() async {
    await membership.rename(announcer.name.current)
    announcer.announce()
  }

  /// Says goodbye to the others.
  func leave() async {
    watch?.stop()
    await membership.leave()
  }

  /// Waits until whom this node trusts and blocks is kept, or cannot be; after ``leave()``.
  func finishKeeping() async { await membership.finishKeeping() }

  /// Ends everything, once the goodbyes are sent.
  func close() async {
    let (plane, discovery) = (plane, discovery)
    await withTaskGroup { group in
      group.addTask { await plane.stop() }
      group.addTask { discovery?.stop() }
    }
  }

  private static func profile(
    _ settings: Configuration, media: UInt16, control: UInt16
  ) -> NodeProfile {
    var profile = NodeProfile(
      name: settings.name, role: settings.role, colourRGB: settings.colourRGB,
      softwareVersion: Version.current,
      controlAddresses: [NodeAddress(.observed, port: control)],
      mediaAddresses: [NodeAddress(.observed, port: media)])
    profile.people = settings.people
    return profile
  }

  private static func store(
    _ memory: MeshMemory, in state: NodeState, by writer: StateWriter, _ problems: KeepingProblems
  ) async -> String? {
    var problem: String?
    do throws(StoreError) {
      try await writer.run { () throws(StoreError) in try state.keep(memory) }
    } catch {
      problem = "\(error)"
    }
    problems.note(.trust, problem)
    return problem
  }

  private static func tell(
    _ event: MembershipEvent, _ log: Logger, _ teller: AsyncStream<MembershipEvent>.Continuation
  ) {
    MembershipLog.write(event, log)
    teller.yield(event)
  }

  /// Tells of changes of the network; nil: that cannot be, which is told.
  private static func watch(
    _ plane: ControlPlane, _ membership: Membership, _ node: Intercom, _ log: Logger
  ) -> NetworkWatch? {
    let watch = NetworkWatch {
      log.event(.networkChanged, "the network changed; calling lost peers at once")
      plane.networkChanged()
      Task { await membership.handle(.networkChanged) }
      Task { await node.networkChanged() }
    }
    if watch == nil {
      log.event(
        .networkUnwatched, "no netlink socket; network changes will not be noticed")
    }
    return watch
  }

  /// - Returns: what was started.
  private static func start(
    _ discovery: Discovery?, _ found: AsyncStream<DiscoveryEvent>, _ membership: Membership,
    _ log: Logger
  ) -> Discovery? {
    do throws(DiscoveryError) {
      try discovery?.start()
    } catch {
      log.event(.discoveryFailed, "discovery failed: \(error)")
      return nil
    }
    Task {
      for await event in found { await take(event, membership, log) }
    }
    return discovery
  }

  private static func take(
    _ event: DiscoveryEvent, _ membership: Membership, _ log: Logger
  ) async {
    switch event {
    case .found(let announcement, let name, _):
      await membership.discover(announcement, name: name)
    case .lost(let node): await membership.lose(node)
    case .backendChanged(let backend):
      log.event(.discovery, "discovery", ["by": "\(backend)"])
    case .problem(let words): log.event(.discoveryProblem, "discovery: \(words)")
    }
  }
}

/// Pauses between tries: half a second, then twice as long each time, 30 s at most.
///
/// Each is shortened by up to a quarter, so that nodes that were switched on together do not ask together for ever.
struct BackOff {
  private static let first = Duration.milliseconds(500)
  private static let longest = Duration.seconds(30)

  private var pause = Self.first

  /// The pause before the next try.
  mutating func next() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause * Double.random(in: 0.75...1)
  }
}

/// Tells the others when this node's groups, or its name, change.
struct Announcer: Sendable {
  let plane: ControlPlane
  let discovery: Discovery?
  let name: NodeName
  let state: NodeState
  let satellitePort: UInt16

  /// Every connection is proved anew, and the network told.
  func groupsChanged() {
    plane.groupsChanged()
    announce()
  }

  /// The network is told what this node is now.
  func announce() {
    discovery?.update(Self.service(name, state, port: plane.localAddress.port, satellitePort))
  }

  /// What the network is told of this node.
  static func service(
    _ name: NodeName, _ state: NodeState, port: UInt16, _ satellitePort: UInt16
  ) -> ServiceDescription {
    var service = ServiceDescription(
      node: state.id, name: name.current, softwareVersion: Version.current, port: port,
      groups: state.groups)
    service.satellitePort = satellitePort
    return service
  }
}
