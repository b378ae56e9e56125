import EventLoop
import Logging
import Synchronization

@testable import comlinkd

/// Names and a node as a look-up sees them, in virtual time: a pause passes at once and moves the clock on.
final class LookupWorld: PeerRegister {
  private struct State {
    var seconds = 0.0
    var lookups = 0
    var pauses: [Double] = []
    var added: [(address: SocketAddress, seconds: Double)] = []
    var removed: [SocketAddress] = []
    var connected: Set<SocketAddress> = []
    var log: [String] = []
  }

  let localAddress = SocketAddress.loopback(port: 5004)
  private let state = Mutex(State())
  private let end: Double
  private let names: @Sendable (_ seconds: Double) -> [SocketAddress]?

  /// Ends after so much time; `names` tells what every name leads to then, nil: nowhere.
  init(seconds: Double, names: @escaping @Sendable (_ seconds: Double) -> [SocketAddress]?) {
    end = seconds
    self.names = names
  }

  static func address(_ host: UInt32) -> SocketAddress {
    SocketAddress(ipv4: 0x7f00_0000 + host, port: 5004)
  }

  var lookups: Int { state.withLock { $0.lookups } }
  var pauses: [Double] { state.withLock { $0.pauses } }
  var added: [(address: SocketAddress, seconds: Double)] { state.withLock { $0.added } }
  var removed: [SocketAddress] { state.withLock { $0.removed } }
  var log: [String] { state.withLock { $0.log } }

  func connect(_ address: SocketAddress) {
    state.withLock { _ = $0.connected.insert(address) }
  }

  func addPeer(_ address: SocketAddress) {
    state.withLock { $0.added.append((address, $0.seconds)) }
  }

  func removePeer(_ address: SocketAddress) {
    state.withLock { $0.removed.append(address) }
  }

  func isConnected(to address: SocketAddress) -> Bool {
    state.withLock { $0.connected.contains(address) }
  }

  /// Looks a peer up until the look-up or the time ends.
  func lookUp(_ text: String) async throws {
    let peer = try Endpoint(text)
    var lookup = PeerLookup(
      node: self, book: PeerBook(node: self), isInsecure: false,
      log: Logger(label: "test") { [self] _ in handler() })
    lookup.resolve = { [self] text throws(AddressError) in try resolve(text) }
    lookup.pause = { [self] in try pass($0) }
    await Task { [lookup] in await lookup.run(peer) }.value
  }

  private func handler() -> StandardErrorLog {
    StandardErrorLog(style: .terminal, area: "node") { [self] bytes in
      state.withLock { $0.log.append(String(decoding: bytes, as: UTF8.self)) }
    }
  }

  private func resolve(_ text: String) throws(AddressError) -> [SocketAddress] {
    let seconds = state.withLock { state in
      state.lookups += 1
      return state.seconds
    }
    guard let addresses = names(seconds) else {
      throw .unresolvable(text: text, host: text, reason: "no such name")
    }
    return addresses
  }

  private func pass(_ pause: Duration) throws {
    let seconds = state.withLock { state in
      state.pauses.append(pause / .seconds(1))
      state.seconds += pause / .seconds(1)
      return state.seconds
    }
    guard seconds > end else { return }
    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    throw CancellationError()
  }
}
