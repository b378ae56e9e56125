internal import EventLoop
internal import Intercom
internal import Logging

/// Finds the addresses of the peers named by the user, and keeps trying for those that have none yet.
struct PeerLookup {
  /// Between two tries of a name that cannot be looked up.
  private static let retry = Duration.seconds(10)

  let node: Intercom
  let isInsecure: Bool
  let log: Logger

  /// Returns when the peer was handed to the node or refused; cancellation ends the tries.
  func run(_ peer: Endpoint) async {
    var lastWords = ""
    while !Task.isCancelled {
      do throws(AddressError) {
        let addresses = try await SocketAddress.resolve(peer.text)
        await add(peer, addresses)
        return
      } catch {
        let words = "\(error)"
        if words != lastWords {
          log.warning("peer not found, trying again each 10 s", metadata: ["reason": "\(words)"])
        }
        lastWords = words
      }
      try? await Task.sleep(for: Self.retry)
    }
  }

  private func add(_ peer: Endpoint, _ addresses: [SocketAddress]) async {
    let isIPv4Only = node.localAddress.family == .ipv4
    let reachable = addresses.first { !isIPv4Only || $0.family == .ipv4 }
    guard let address = reachable else {
      log.error(
        "peer has only IPv6 addresses and this node listens on IPv4; use --listen [::]:PORT",
        metadata: ["peer": "\(peer.text)"])
      return
    }
    guard isInsecure || address.isLoopback else {
      log.error("--peer \(peer.text) \(LoopbackRule.refusal(of: address.description))")
      return
    }
    await node.addPeer(address)
  }
}
