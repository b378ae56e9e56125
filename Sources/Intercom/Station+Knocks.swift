import Cryptography
import EventLoop

/// Signs of life beside media; what is sent, and what is passed on, is rare and may allocate.
extension Station {
  /// Tells another node, at these addresses, that this one is up.
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) {
    knocks.know(other)
    guard protection != nil, !hasSaidGoodbye else { return }
    let slot = endpoint.makePacket { packet in Knock.write(node, into: &packet) }
    guard let slot else { return }
    for address in addresses { endpoint.send(slot, to: address) }
  }

  /// Passes a knock on, if it is not one too many; what is none either is counted.
  func hearKnock(_ datagram: RawSpan, nowNanoseconds: Int64) {
    guard protection != nil, let node = Knock.node(of: datagram) else {
      drops.notRTP += 1
      return
    }
    if knocks.take(node, nowNanoseconds: nowNanoseconds) { knockHeard(node) }
  }
}
