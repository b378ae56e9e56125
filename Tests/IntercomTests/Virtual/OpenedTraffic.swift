import Cryptography
import EventLoop
import RTP

@testable import Intercom

/// What went over a network, as those who have all keys read it.
struct OpenedTraffic {
  private struct Route: Hashable {
    var source: SocketAddress
    var destination: SocketAddress
  }

  /// In the order in which they were sent, without what encryption adds; one that no key opens is missing.
  private(set) var plain: [[UInt8]] = []

  /// Opens what nodes sent by the keys that they have now, which have to be their first ones.
  init(_ traffic: [Datagram], of nodes: [VirtualNode]) throws {
    var receivers: [Route: SRTPReceiver] = [:]
    for datagram in traffic {
      guard let node = nodes.first(where: { $0.addresses.contains(datagram.source) }) else {
        continue
      }
      // To each listener of its own: the same packet goes to many.
      let route = Route(source: datagram.source, destination: datagram.destination)
      if receivers[route] == nil {
        let receiver = SRTPReceiver()
        try receiver.add(node.ownKey)
        receivers[route] = receiver
      }
      guard let receiver = receivers[route] else { continue }
      if let bytes = Self.open(datagram, by: receiver) { plain.append(bytes) }
    }
  }

  private static func open(_ datagram: Datagram, by receiver: SRTPReceiver) -> [UInt8]? {
    var plain = [UInt8](repeating: 0, count: datagram.bytes.count)
    var span = plain.mutableSpan
    var room = unsafe span.mutableBytes
    let bytes = unsafe datagram.bytes.span.bytes
    let byteCount =
      datagram.isReport
      ? try? receiver.unprotectControl(bytes, into: &room)
      : try? receiver.unprotect(bytes, into: &room)
    return byteCount.map { Array(plain.prefix($0)) }
  }
}
