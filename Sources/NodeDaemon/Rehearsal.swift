public import EventLoop
public import Intercom

/// How a test's node meets others instead of by control connections, which give it its members and their keys.
///
/// Only a program of the tests' makes one, and hands it to ``DaemonProgram/run(rehearsal:)``: what media in clear take is
/// not in `comlinkd`. With one, a setting that names an address beyond this machine is refused.
public protocol Rehearsal: Sendable {
  /// What is logged at the start, as a warning.
  var warning: String { get }

  /// Changes what the node is told.
  func prepare(_ configuration: inout IntercomConfiguration)

  /// Calls a peer that was named, at the addresses that it has; once, after the node's start.
  func call(_ addresses: [SocketAddress], from node: Intercom) async
}
