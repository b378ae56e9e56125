import Cryptography
import EventLoop
import Mesh

/// Keys and datagrams in the form that the membership has them; nothing here runs on the loop but what it calls.
extension Intercom: MediaGate {
  nonisolated func install(_ key: MediaKey, of node: NodeID) async throws {
    let received = try ReceivedKey(octets: key.octets, epoch: key.epoch)
    guard await install(received, of: node) else {
      throw IntercomError.refused("its stream is another member's, or not the one it had")
    }
  }

  nonisolated func presentMessage() async throws -> MediaKey { try Self.message(await ownKey()) }

  nonisolated func makeNextMessage() async throws -> MediaKey {
    try Self.message(await makeNextKey())
  }

  func heardNanoseconds(of node: NodeID) -> Int64? {
    station.protection?.members[node]?.heardNanoseconds
  }

  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) {
    station.sendKnocks(at: other, addresses, as: node)
  }

  private static func message(_ key: OwnKey?) throws -> MediaKey {
    guard let key else { throw IntercomError.refused("this node's media are in clear") }
    return MediaKey(stream: 0, epoch: key.epoch, octets: key.octets)
  }
}
