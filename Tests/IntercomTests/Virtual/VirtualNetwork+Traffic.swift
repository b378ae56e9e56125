import EventLoop

extension VirtualNetwork {
  /// RTP packets sent to an address since a moment.
  func media(to address: SocketAddress, since start: Int64 = 0) -> [Datagram] {
    traffic.filter {
      !$0.isReport && $0.destination == address && $0.arrivalNanoseconds >= start
    }
  }

  /// RTCP compounds sent to an address since a moment.
  func reports(to address: SocketAddress, since start: Int64 = 0) -> [Datagram] {
    traffic.filter { $0.isReport && $0.destination == address && $0.arrivalNanoseconds >= start }
  }
}
