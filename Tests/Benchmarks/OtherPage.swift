import ControlSocket
import Cryptography
import Foundation
import NIOCore
import NIOPosix
import Panel
import Remote
import StatusSchema

/// A page like a node's, served by the bench: it shows the node's status, and levels that change 20 times a second.
///
/// What a node takes more while others look at this one is the machine's doing and the viewers', and none of its own.
final class OtherPage: Sendable {
  /// A node whose talkers all speak on.
  private struct Crowd: ControlHandler {
    let status: Status

    func handle(_ request: ControlRequest) async -> ControlResponse { .ok }

    func pictures() -> AsyncStream<NodePicture>? {
      let (stream, follower) = AsyncStream.makeStream(
        of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
      let document = StatusDocument(status, number: 0)
      let ticker = Task {
        var (levels, picture) = (NodeLevels(status), NodePicture?.none)
        while !Task.isCancelled {
          for peer in levels.peers.indices {
            levels.peers[peer] = NodeLevels.Peer(
              levelDBFS: .random(in: -59.9 ... -10), isTalking: true)
          }
          let next = NodePicture(document, levels, after: picture)
          picture = next
          follower.yield(next)
          try? await Task.sleep(for: .milliseconds(50))
        }
      }
      follower.onTermination = { _ in ticker.cancel() }
      return stream
    }
  }

  private let page: Page
  private let access = PageAccess()

  var port: Int { page.port }

  /// Serves what a node with this status would.
  init(showing status: Status) throws {
    let secret = [UInt8](repeating: 36, count: 32)
    let keys = try (0..<2).map { try unsafe P256Key(of: secret.span.bytes, for: "bench \($0)") }
    let authority = try PageAuthority(key: keys[0], words: ["bench"])
    let leaf = try authority.leaf(
      for: keys[1], names: ["localhost"], addresses: [[127, 0, 0, 1]],
      unixSeconds: Int64(Date().timeIntervalSince1970))
    let identity = PageIdentity(
      certificate: .made(certificate: leaf, privateKey: keys[1].privateKeyDER), authority: nil,
      names: ["localhost"])
    let access = access
    page = try MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask {
      try await Page(
        at: Page.Place(host: "127.0.0.1", port: 0), trustAt: nil, identity: identity,
        nodeName: "bench", access: access, handler: Crowd(status: status))
    }.wait()
  }

  /// A token by which one viewer can sign in.
  func invite() throws -> String { try access.invite(rights: .listen, name: nil).token }

  func stop() throws {
    let page = page
    try MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask { await page.stop() }.wait()
  }
}
