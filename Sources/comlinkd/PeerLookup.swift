internal import EventLoop
internal import Logging

/// Finds the address of a peer named by the user, and follows it.
///
/// *Searching*: a name without an address of use is looked up again after the pauses of ``BackOff``, for ever.
/// *Found*: the node calls the address. When nobody has been connected there for ``patience``, a name is looked up
/// again, as its host may have got another address; a numeric address is done with. The log tells changes, not tries.
struct PeerLookup: Sendable {
  /// How long a peer may be away before its address is doubted.
  static let patience = Duration.seconds(30)
  /// How often the node is asked whether the peer is there.
  private static let interval = Duration.seconds(5)

  private enum Problem: Error, Equatable {
    /// The name leads nowhere, or nowhere this node can call.
    case notFound(reason: String)
    /// The name leads where this node is not allowed to call.
    case refused(reason: String)
  }

  let node: any PeerRegister
  let book: PeerBook
  let isInsecure: Bool
  let log: Logger
  var resolve: SocketAddress.Resolver = SocketAddress.resolve
  /// Lets time pass; throws when the task is cancelled.
  var pause: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

  /// Returns when nothing is left to do for the peer; cancellation ends it too.
  func run(_ peer: Endpoint) async {
    var backOff = BackOff()
    var problem: Problem?
    while !Task.isCancelled {
      do throws(Problem) {
        let address = try await find(peer)
        await move(peer, to: address, wasMissed: problem != nil)
        guard peer.reach == .name else { return }
        backOff = BackOff()
        problem = nil
        await stay(at: address)
      } catch {
        if error != problem { tell(error, of: peer) }
        problem = error
        try? await pause(backOff.next())
      }
    }
  }

  private func tell(_ problem: Problem, of peer: Endpoint) {
    switch problem {
    case .notFound(let reason):
      log.warning(
        "peer not found, trying again until it is",
        metadata: ["peer": "\(peer.text)", "reason": "\(reason)"])
    case .refused(let reason):
      log.error(
        "this peer is left out until comlinkd is started with --insecure",
        metadata: ["peer": "\(peer.text)", "reason": "\(reason)"])
    }
  }

  /// An address that this node can call; the present one as long as it is among them.
  private func find(_ peer: Endpoint) async throws(Problem) -> SocketAddress {
    let addresses: [SocketAddress]
    do throws(AddressError) {
      addresses = try await resolve(peer.text)
    } catch {
      throw .notFound(reason: "\(error)")
    }
    let takesIPv6 = node.localAddress.family == .ipv6
    let reachable = addresses.filter { takesIPv6 || $0.family == .ipv4 }
    guard let best = reachable.first else {
      throw .notFound(
        reason: "it has only IPv6 addresses and this node listens on IPv4; use --listen [::]:PORT")
    }
    let present = await book.address(of: peer)
    let address = reachable.first { $0 == present } ?? best
    guard isInsecure || address.isLoopback else {
      throw .refused(reason: "it \(LoopbackRule.refusal(of: "\(address)"))")
    }
    return address
  }

  private func move(_ peer: Endpoint, to address: SocketAddress, wasMissed: Bool) async {
    let former = await book.address(of: peer)
    await book.move(peer, to: address)
    guard peer.reach == .name, former != address || wasMissed else { return }
    log.notice(
      former == nil || former == address ? "peer found" : "peer has another address now",
      metadata: ["peer": "\(peer.text)", "address": "\(address)"])
  }

  /// Returns when nobody has been connected at the address for ``patience``, or on cancellation.
  private func stay(at address: SocketAddress) async {
    var left = Self.patience
    while left > .zero, !Task.isCancelled {
      try? await pause(Self.interval)
      left = await node.isConnected(to: address) ? Self.patience : left - Self.interval
    }
  }
}
