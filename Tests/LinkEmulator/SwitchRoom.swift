import CLink
import Glibc

/// The namespace without a name where the switch's ends of all cables are.
///
/// It lives as long as their sockets do, so that a killed emulator leaves no device behind.
enum SwitchRoom {
  /// Plugs nodes in and opens their ports; the calling thread is back in its own namespace after that.
  ///
  /// - Throws: `LinkError`.
  static func open(_ nodes: [Node]) throws(LinkError) -> [Port] {
    let home = unsafe Glibc.open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    guard home >= 0 else {
      throw .system(attempt: "open /proc/thread-self/ns/net", errorNumber: errno)
    }
    defer { close(home) }
    _ = try LinkError.check(link_namespace_leave(), "make a network namespace")
    // Children and sockets are where the thread is: nothing may be made in the wrong place after an error.
    defer { precondition(link_namespace_enter(home) == 0, "no way back to our own namespace") }
    keepQuiet()
    var ports: [Port] = []
    for node in nodes {
      let device = "port\(node.number)"
      try node.plug(into: device)
      ports.append(try Port(device))
    }
    return ports
  }

  /// The room's own kernel must not talk to the nodes: a switch has no addresses.
  private static func keepQuiet() {
    for scope in ["all", "default"] {
      // Missing where the kernel has no IPv6, and all is well.
      let file = unsafe Glibc.open(
        "/proc/sys/net/ipv6/conf/\(scope)/disable_ipv6", O_WRONLY | O_CLOEXEC)
      guard file >= 0 else { continue }
      unsafe write(file, "1", 1)
      close(file)
    }
  }
}
