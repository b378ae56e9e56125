internal import Cryptography
internal import Mesh
internal import NIOCore
internal import NIOPosix
internal import ServiceLoop

/// All connections of a ``ControlPlane``, and what they have to share.
///
/// Confined to one event loop, on whose thread everything here and in ``SecureConnection`` runs: hence `@unchecked`.
final class Exchange: @unchecked Sendable {
  private static let crowdedWords = "too many unproved connections"

  let loop: any EventLoop
  let gate: LoopGate
  let configuration: ControlPlaneConfiguration
  let contexts: SecureContexts
  let own: NodeID
  let groups: @Sendable () -> [Group]
  let events: EventQueue
  let lanes: LanePort

  /// Those that Mesh was told of.
  private(set) var connections: [ConnectionID: SecureConnection] = [:]
  /// Those on the way to be told of.
  private var dialling: [AttemptID: SecureConnection] = [:]
  /// All whose socket is open, or about to be.
  private var all: [ObjectIdentifier: SecureConnection] = [:]
  /// Those that others opened and that proved nothing, the oldest first.
  private var unproven: [SecureConnection] = []
  /// Octets of unfinished messages, of all connections.
  private var heldBytes = 0
  /// Where those are who opened a pairing and have not ended it.
  private var pairingHosts: [NodeAddress.Host?] = []
  private var lastConnection: UInt64 = 0
  private var stopped: EventLoopPromise<Void>?

  init(
    loop: any EventLoop, configuration: ControlPlaneConfiguration, contexts: SecureContexts,
    own: NodeID, groups: @escaping @Sendable () -> [Group], events: EventQueue
  ) {
    self.loop = loop
    gate = LoopGate(loop)
    self.configuration = configuration
    self.contexts = contexts
    self.own = own
    self.groups = groups
    self.events = events
    lanes = LanePort(loop: loop, gate: gate, events: events)
  }

  // MARK: Connections that others open

  /// Lets a connection in; one more than may have proved nothing takes the place of another.
  func accept(_ channel: any Channel) -> EventLoopFuture<Void> {
    let remote = NodeAddress(channel.remoteAddress)
    let limits = configuration.limits
    guard stopped == nil else { return loop.makeFailedFuture(ControlPlaneError.stopped) }
    guard unproven.count(where: { $0.host == remote?.host }) < limits.unprovenPerAddress else {
      return refuse(.crowdedAddress, "too many connections from this address", remote)
    }
    guard all.count < limits.connections, unproven.count < limits.unproven || makeRoom() else {
      return refuse(.crowded, Self.crowdedWords, remote)
    }
    let connection = SecureConnection(.accepted, remote: remote, exchange: self)
    do {
      try connection.install(in: channel)
    } catch {
      return loop.makeFailedFuture(error)
    }
    all[ObjectIdentifier(connection)] = connection
    unproven.append(connection)
    return loop.makeSucceededVoidFuture()
  }

  /// Ends the oldest one of the address that has most, so that whoever crowds loses more than who is crowded; false:
  /// all are about to be given to Mesh.
  private func makeRoom() -> Bool {
    let counts = Dictionary(grouping: unproven, by: \.host).mapValues(\.count)
    let endable = unproven.filter { !$0.isBeingGiven }
    let most = endable.compactMap { counts[$0.host] }.max()
    guard let victim = endable.first(where: { counts[$0.host] == most }) else { return false }
    victim.fail(.crowded, Self.crowdedWords)
    return true
  }

  private func refuse(
    _ reason: ControlFault.Reason, _ words: String, _ remote: NodeAddress?
  ) -> EventLoopFuture<Void> {
    events.note(ControlFault(reason, words, remote: remote))
    return loop.makeFailedFuture(ControlPlaneError.connection(words: words))
  }

  /// Makes room for another one: this one proved something, or ended.
  func release(_ connection: SecureConnection) {
    guard !connection.isBeingGiven else { return }
    unproven.removeAll { $0 === connection }
  }

  /// Takes one of the places for pairings that others opened; false when there is none, or the host has one.
  func beginPairing(of host: NodeAddress.Host?) -> Bool {
    guard pairingHosts.count < configuration.limits.pairings, !pairingHosts.contains(host) else {
      return false
    }
    pairingHosts.append(host)
    return true
  }

  func endPairing(of host: NodeAddress.Host?) { pairingHosts.removeAll { $0 == host } }

  // MARK: Connections that we open

  func dial(_ attempt: AttemptID, _ address: NodeAddress) {
    guard stopped == nil, dialling[attempt] == nil else { return }
    let connection = SecureConnection(.dialled(attempt), remote: address, exchange: self)
    dialling[attempt] = connection
    connect(connection, to: address)
  }

  func abandon(_ attempt: AttemptID) {
    dialling.removeValue(forKey: attempt)?.endSilently()
  }

  /// Whether an attempt is still wanted; it is over after that.
  func finish(_ attempt: AttemptID) -> Bool { dialling.removeValue(forKey: attempt) != nil }

  func connect(_ connection: SecureConnection, to address: NodeAddress) {
    all[ObjectIdentifier(connection)] = connection
    guard let target = address.socketAddress else {
      connection.fail(.unreachable, "not an address")
      return forget(connection)
    }
    ClientBootstrap(group: loop)
      .connectTimeout(.nanoseconds(configuration.times.connectNanoseconds))
      .channelOption(SocketOptions.segment, value: .init(SocketOptions.segmentBytes))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try SocketOptions.apply(self.configuration, to: channel)
          try connection.install(in: channel)
        }
      }
      .connect(to: target)
      .whenFailure { error in
        connection.fail(.unreachable, SystemWords.of(error))
        self.forget(connection)
      }
  }

  // MARK: Connections that stand

  /// Gives a connection its number, and Mesh the connection.
  func open(_ connection: SecureConnection, node: NodeID, provesGroup: Bool) -> ConnectionID? {
    let attempt = connection.attempt
    if let attempt, !finish(attempt) { return nil }
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    connections[id] = connection
    let opened = OpenedConnection(
      connection: id, node: node, provesGroup: provesGroup, remote: connection.remote)
    guard let attempt else {
      give(connection, opened)
      return id
    }
    events.give(.dialled(attempt, opened))
    return id
  }

  /// Keeps its place among the unproven until Mesh has it,
  /// so that no more of these wait for Mesh than there are places.
  private func give(_ connection: SecureConnection, _ opened: OpenedConnection) {
    connection.isBeingGiven = true
    events.give(.accepted(opened)) { [self] in
      gate.run {
        connection.isBeingGiven = false
        self.release(connection)
      }
    }
  }

  /// A connection holds more octets, or fewer; beyond what all may hold together, the one with most of them ends.
  func noteHeld(changeBytes: Int) {
    heldBytes += changeBytes
    while heldBytes > configuration.limits.heldBytes,
      let largest = all.values.max(by: { $0.countedBytes < $1.countedBytes }),
      largest.countedBytes > 0
    {
      largest.fail(.overfull, "unfinished messages of all nodes together are too long")
    }
  }

  /// Takes a connection out of what can be sent on.
  func retire(_ id: ConnectionID) {
    connections[id] = nil
    lanes.detach(id)
  }

  /// The other end was admitted, and this is the connection in use: its messages may be as long as a member's.
  func raise(_ id: ConnectionID) {
    guard let connection = connections[id] else { return }
    connection.raiseLimit()
    lanes.attach(connection, id)
  }

  /// The socket is closed.
  func forget(_ connection: SecureConnection) {
    release(connection)
    all[ObjectIdentifier(connection)] = nil
    if all.isEmpty { stopped?.succeed() }
  }

  /// Tells whose own address no interface has any more; where the system does not tell of interfaces, silence will.
  func tellUprooted() {
    guard let devices = try? System.enumerateDevices() else { return }
    let hosts = Set(devices.compactMap { NodeAddress($0.address)?.host })
    for (id, connection) in connections {
      guard let own = NodeAddress(connection.channel?.localAddress), !hosts.contains(own.host)
      else { continue }
      events.give(.uprooted(id))
    }
  }

  /// Our groups are others.
  func groupsChanged() {
    let groups = groups()
    for connection in all.values { connection.proveAnew(groups) }
    reportProving()
  }

  /// Tells who proves to hold the secret of a group of ours.
  func reportProving() {
    events.give(.groupsChanged(Set(connections.filter(\.value.provesGroup).keys)))
  }

  /// Ends all; the future completes when their sockets are closed.
  func stop() -> EventLoopFuture<Void> {
    if let stopped { return stopped.futureResult }
    let promise = loop.makePromise(of: Void.self)
    stopped = promise
    lanes.stop()
    let connections = Array(all.values)
    if connections.isEmpty { promise.succeed() }
    for connection in connections { connection.close() }
    let bound = loop.scheduleTask(in: .nanoseconds(2 * configuration.times.closeNanoseconds)) {
      for connection in self.all.values { connection.cut() }
      promise.succeed()
    }
    promise.futureResult.whenComplete { _ in bound.cancel() }
    return promise.futureResult
  }
}
