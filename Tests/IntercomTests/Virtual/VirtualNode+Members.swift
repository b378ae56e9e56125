import Cryptography
import EventLoop
import Mesh
import RTP
import Testing

@testable import Intercom

extension NodeID {
  /// The ID of a made-up node.
  static func named(_ name: String) -> NodeID {
    let octets = Array(name.utf8.prefix(NodeID.byteCount))
    guard
      let node = NodeID(
        octets: octets + [UInt8](repeating: 0, count: NodeID.byteCount - octets.count))
    else { preconditionFailure("32 octets make an ID") }
    return node
  }
}

/// What membership does to nodes.
extension VirtualNode {
  /// The key in use, for others.
  var ownKey: MediaKey { station.protection.base.message }

  /// Makes two nodes members of each other, with addresses and keys: what control connections do.
  func meet(_ other: VirtualNode, _ network: VirtualNetwork) throws {
    try admit(other, network)
    try other.admit(self, network)
  }

  /// The same with a scripted peer, of which other addresses may be told than its own, or none.
  func meet(
    _ other: ScriptedPeer, at addresses: [SocketAddress]? = nil, _ network: VirtualNetwork
  ) throws {
    admit(other, at: addresses ?? other.addresses, network)
    station.roster.install(try ReceivedKey(other.ownKey), of: other.id, nowNanoseconds: network.now)
    try other.install(ownKey)
  }

  /// Tells what a scripted peer is called, and where it is.
  func admit(_ other: ScriptedPeer, at addresses: [SocketAddress], _ network: VirtualNetwork) {
    station.admit(
      Member(node: other.id, name: other.name, addresses: addresses),
      nowNanoseconds: network.now)
  }

  /// Admits a node at addresses, its own where none are given, and takes its key.
  func admit(
    _ other: VirtualNode, at addresses: [SocketAddress]? = nil, name: String? = nil,
    _ network: VirtualNetwork
  ) throws {
    station.admit(
      Member(
        node: other.node, name: name ?? other.station.configuration.name,
        addresses: addresses ?? other.addresses), nowNanoseconds: network.now)
    try install(other.ownKey, of: other, network)
  }

  /// Takes a key of another node.
  @discardableResult
  func install(
    _ key: MediaKey, of other: VirtualNode, _ network: VirtualNetwork
  ) throws -> Bool {
    station.roster.install(try ReceivedKey(key), of: other.node, nowNanoseconds: network.now)
  }

  /// Makes the next key, as `Intercom.makeNextKey()` does.
  func makeNextKey(of number: Int = 0) throws -> MediaKey {
    let stream = try #require(station.protection.stream(number))
    let key = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: stream.takeEpoch()))
    return stream.setNextKey(key, epoch: stream.lastEpoch)
  }

  /// How often a reason was counted.
  func drops(_ reason: String) -> Int { station.drops.byReason[reason] ?? 0 }

  /// Its peer that is a node, connected.
  func connected(_ other: VirtualNode) -> SeenPath? {
    guard let session = station.roster.sessions[other.node], let path = session.active else {
      return nil
    }
    return SeenPath(session: session, path: path)
  }
}

extension Member {
  /// A member in its first run, of a group.
  init(node: NodeID, name: String, addresses: [SocketAddress]) {
    self.init(
      node: node, instance: 1,
      profile: NodeProfile(name: name, mediaAddresses: addresses.map { NodeAddress($0) }),
      isInGroup: true)
  }
}
