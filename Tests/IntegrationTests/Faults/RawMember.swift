import ControlPlane
import Cryptography
import EventLoop
import Mesh
import Synchronization
import TestRig

@testable import Intercom

/// A node's control connections and membership without its media path: what it is handed are the keys of all others,
/// and it hands out one of its own, which a test may protect anything with.
///
/// Works on Swift's pool, of which a test that waits for it takes one thread: there have to be two.
final class RawMember: Sendable {
  private final class Identity: ControlIdentity {
    private let key: NodeKey

    init() throws { key = try NodeKey() }

    var publicKey: PublicKey { key.publicKey }

    func signature(of message: RawSpan) throws(CryptoError) -> [UInt8] {
      try key.signature(of: message)
    }
  }

  private let keys: RawKeys
  private let router = Router()
  private let plane: ControlPlane
  private let membership: Membership

  /// Calls the node on a port of 127.0.0.1, which has to let everybody in.
  init(_ name: String, ssrc: UInt32, mediaPort: Int, calling port: Int) throws(RigError) {
    do {
      let identity = try Identity()
      keys = try RawKeys(ssrc: ssrc)
      plane = try ControlPlane(
        configuration: ControlPlaneConfiguration(
          address: NodeAddress(.ipv4(0x7F00_0001), port: 0)), identity: identity, groups: { [] },
        handler: router)
      var profile = NodeProfile(
        name: name, mediaAddresses: [NodeAddress(.observed, port: UInt16(mediaPort))])
      membership = Membership(
        configuration: MeshConfiguration(
          node: NodeID(of: identity.publicKey), instance: 1, profile: profile, policy: .open),
        media: keys,
        parts: MembershipParts(
          transport: Transport(plane: plane), takesIPv6: false, store: { _ in nil },
          report: { _ in }))
      router.attach(membership)
      Task { [plane, membership] in
        await membership.start()
        try await plane.start()
        profile.controlAddresses = [NodeAddress(.observed, port: plane.localAddress.port)]
        await membership.handle(.describe(profile))
        await membership.name("127.0.0.1:\(port)")
      }
    } catch {
      throw .launch(command: "the member \(name)", reason: "\(error)")
    }
  }

  deinit {
    router.attach(nil)
    Task { [plane, membership] in
      await membership.leave()
      await plane.stop()
    }
  }

  /// What others say on a channel of the application lane comes here from now on.
  func listen(
    on channel: LaneChannel, consumer: @escaping @Sendable (LaneMessage) async -> Void
  ) {
    membership.lane.open(channel, consumer: consumer)
  }

  /// Says anything on a channel of the application lane; false: it was not taken.
  func say(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async -> Bool {
    do throws(LaneError) {
      try await membership.lane.deliver(octets, on: channel, to: node, sequence: sequence)
      return true
    } catch {
      return false
    }
  }

  /// Protects a packet, or a compound of reports, as this member's; nil: it cannot be.
  func seal(_ plain: [UInt8], isReport: Bool) -> [UInt8]? { keys.seal(plain, isReport: isReport) }

  /// What a member's datagram protects; nil: it is none of that stream's, or its key is not here.
  func open(_ datagram: [UInt8], isReport: Bool, ofStream ssrc: UInt32) -> [UInt8]? {
    keys.open(datagram, isReport: isReport, ofStream: ssrc)
  }
}

/// Brings what happens on the control connections to the membership.
private final class Router: ControlPlaneHandler {
  private let membership = Mutex<Membership?>(nil)

  func attach(_ membership: Membership?) { self.membership.withLock { $0 = membership } }

  func handle(_ event: MeshEvent) async { await membership.withLock { $0 }?.handle(event) }
  func note(_ fault: ControlFault) async {}
  func pair(_ channel: PairingChannel) async {}
}

private struct Transport: ControlTransport {
  let plane: ControlPlane

  func dial(_ attempt: AttemptID, _ address: NodeAddress) { plane.dial(attempt, address) }
  func abandon(_ attempt: AttemptID) { plane.abandon(attempt) }
  func send(_ message: Message, on connection: ConnectionID) { plane.send(message, on: connection) }
  func close(_ connection: ConnectionID) { plane.close(connection) }
  func raiseLimit(of connection: ConnectionID) { plane.raiseLimit(of: connection) }
  func endLane(of node: NodeID) { plane.endLane(of: node) }
  var lane: Lane { Lane(lane: plane.lane) }
}

private struct Lane: ApplicationLane {
  let lane: ControlLane

  func open(
    _ channel: LaneChannel, consumer: @escaping @Sendable (LaneMessage) async -> Void
  ) {
    lane.open(channel, consumer: consumer)
  }
  func send(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) {
    try await lane.send(octets, on: channel, to: node, sequence: sequence)
  }
  func deliver(
    _ octets: [UInt8], on channel: LaneChannel, to node: NodeID, sequence: UInt64
  ) async throws(LaneError) {
    try await lane.deliver(octets, on: channel, to: node, sequence: sequence)
  }
}

/// The media path that there is not: keys only.
private final class RawKeys: MediaGate {
  private struct State {
    let sender: SRTPSender
    var epoch: UInt64 = 0
    var lastEpoch: UInt64 = 0
    /// By stream.
    var receivers: [UInt32: SRTPReceiver] = [:]
  }

  let knocks = AsyncStream<NodeID> { $0.finish() }
  private let ssrc: UInt32
  private let state: Mutex<State>

  init(ssrc: UInt32) throws {
    self.ssrc = ssrc
    state = Mutex(State(sender: SRTPSender(try SRTPSendingKey(epoch: 0))))
  }

  func admit(_ member: Member) async -> Bool { true }
  func expel(_ node: NodeID, saidGoodbye: Bool) async {}
  func freeName(of node: NodeID) async {}
  func calledNames() async -> [NodeID: String] { [:] }

  func install(_ key: MediaKey, of node: NodeID) async throws {
    guard key.stream == 0, key.octets.count == SRTPSessionKey.byteCount else { return }
    let ssrc = key.ssrc
    try state.withLock { state in
      let secret = try unsafe SecretBytes(copying: key.octets.span.bytes)
      let session = try SRTPSessionKey(
        epoch: UInt8(truncatingIfNeeded: key.epoch), secret: secret)
      let receiver = state.receivers[ssrc] ?? SRTPReceiver()
      receiver.add(try SRTPReceivingKey(session))
      state.receivers[ssrc] = receiver
    }
  }

  func endStream(_ number: Int, of node: NodeID) async {}

  func ownKey(of number: Int) async -> MediaKey? {
    let ssrc = ssrc
    return state.withLock { state in
      let epoch = state.epoch
      return state.sender.withSecret { Self.told($0, ssrc: ssrc, epoch: epoch) }
    }
  }

  func makeNextKey(of number: Int) async throws(CryptoError) -> MediaKey? {
    let ssrc = ssrc
    let epoch = state.withLock { state in
      state.lastEpoch += 1
      return state.lastEpoch
    }
    let next = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: epoch))
    let told = next.secret.withBytes { Self.told($0, ssrc: ssrc, epoch: epoch) }
    setNextKey(next)
    return told
  }

  private func setNextKey(_ next: consuming sending SRTPSendingKey) {
    var next = Optional(next)
    state.withLock { state in
      if let key = next.take() { state.sender.setNextKey(key) }
    }
  }

  private static func told(_ secret: RawSpan, ssrc: UInt32, epoch: UInt64) -> MediaKey {
    MediaKey(
      stream: 0, ssrc: ssrc, epoch: epoch,
      octets: secret.byteOffsets.map {
        unsafe secret.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
      })
  }

  func useNextKey(of number: Int) async {
    state.withLock { state in
      state.sender.useNextKey()
      state.epoch = state.lastEpoch
    }
  }

  func openStream(
    of source: Int, to audience: StreamAudience, listeners: StreamListeners
  ) async throws -> MediaKey { throw CryptoError.unavailable(what: "second stream") }
  func setListeners(_ listeners: StreamListeners, of number: Int) async {}
  func closeStream(_ number: Int) async {}

  func heardNanoseconds(of node: NodeID) async -> Int64? { EventLoop.nowNanoseconds() }
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) async {}

  func seal(_ plain: [UInt8], isReport: Bool) -> [UInt8]? {
    let room = [UInt8](repeating: 0, count: SRTPSender.controlOverheadByteCount)
    return state.withLock { state in
      var packet = plain + room
      var span = packet.mutableSpan
      var bytes = unsafe span.mutableBytes
      let byteCount =
        isReport
        ? try? state.sender.protectControl(&bytes, byteCount: plain.count)
        : try? state.sender.protect(&bytes, byteCount: plain.count, variant: .first)
      return byteCount.map { Array(packet.prefix($0)) }
    }
  }

  func open(_ datagram: [UInt8], isReport: Bool, ofStream ssrc: UInt32) -> [UInt8]? {
    let bytes = unsafe datagram.span.bytes
    let claimed =
      isReport
      ? SRTPReceiver.claimedSSRC(ofControl: bytes) : SRTPReceiver.claimedSSRC(ofMedia: bytes)
    guard claimed == ssrc else { return nil }
    return state.withLock { state in
      guard let receiver = state.receivers[ssrc] else { return nil }
      let datagram = unsafe datagram.span.bytes
      var plain = [UInt8](repeating: 0, count: datagram.byteCount)
      var span = plain.mutableSpan
      var room = unsafe span.mutableBytes
      let byteCount =
        isReport
        ? try? receiver.unprotectControl(datagram, into: &room)
        : try? receiver.unprotect(datagram, into: &room)
      return byteCount.map { Array(plain.prefix($0)) }
    }
  }
}
