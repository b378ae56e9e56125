internal import Glibc
internal import NIOCore

/// What the kernel is told about each connection.
enum SocketOptions {
  /// Small messages go at once, and what is not acknowledged in time ends the connection.
  ///
  /// Until then what was lost is sent again at even times, where TCP else doubles its wait each time: over a way that voices
  /// fill, heartbeats would come too late for the other end not to take this one for gone.
  static func apply(_ configuration: ControlPlaneConfiguration, to channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
    let milliseconds = configuration.times.stallNanoseconds / 1_000_000
    try options.setOption(
      .tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), value: .init(milliseconds))
    try options.setOption(
      .tcpOption(NIOBSDSocket.Option(rawValue: TCP_THIN_LINEAR_TIMEOUTS)), value: 1)
    guard let bytes = configuration.socketBytes else { return }
    try options.setOption(.socketOption(.so_sndbuf), value: .init(bytes))
    try options.setOption(.socketOption(.so_rcvbuf), value: .init(bytes))
  }
}
