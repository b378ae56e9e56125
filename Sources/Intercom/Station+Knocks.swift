import Cryptography
import EventLoop

/// Signs of life beside media; what is sent, and what is passed on, is rare and may allocate.
extension Station {
  /// Tells these addresses that this node is up.
  func sendKnocks(to addresses: [SocketAddress], as node: NodeID) {
    guard protection != nil, !hasSaidGoodbye else { return }
    let slot = endpoint.makePacket { packet in Knock.write(node, into: &packet) }
    guard let slot else { return }
    for address in addresses { endpoint.send(slot, to: address) }
  }

  /// Passes a knock on, some a second; what is none either is counted.
  func hearKnock(_ datagram: RawSpan, nowNanoseconds: Int64) {
    guard protection != nil, Knock.isOne(datagram) else {
      drops.notRTP += 1
      return
    }
    guard knockBudget.take(nowNanoseconds: nowNanoseconds) else { return }
    if let node = Knock.node(of: datagram) { knockHeard(node) }
  }
}
