import CLink
import Glibc

/// A network namespace `comlink-NAME` with one device, `eth0`, whose other end is a port of the switch.
final class Node {
  let name: String
  /// 1 and up; the last part of its addresses.
  let number: Int
  private let claim: NodeClaim

  var namespace: String { Self.namespace(of: name) }
  var addressIPv4: String { "10.77.0.\(number)" }
  var addressIPv6: String { "fd77:c0:11::\(number)" }

  /// Makes the namespace; it is gone with its owner.
  ///
  /// - Throws: `LinkError`.
  init(_ name: String, number: Int) throws(LinkError) {
    let exists = unsafe access(Self.path(of: name), F_OK) == 0
    guard !exists || NodeClaim.all().contains(name) else {
      throw .unavailable(
        "a namespace comlink-\(name) exists that comlink-link did not make; "
          + "choose other --nodes, or remove it: ip netns del comlink-\(name)")
    }
    guard let claim = try NodeClaim(name) else {
      throw .unavailable("another comlink-link has a node \(name); choose other --nodes")
    }
    self.name = name
    self.number = number
    self.claim = claim
    try Child.ip("netns", "add", namespace)
  }

  deinit {
    Self.remove(name)
    claim.forget()
  }

  /// Gives it a device, made in the calling thread's namespace, whose other end of that name stays there.
  ///
  /// - Throws: `LinkError`.
  func plug(into port: String) throws(LinkError) {
    let device = "node\(number)"
    try Child.ip("link", "add", port, "type", "veth", "peer", "name", device)
    for end in [port, device] {
      _ = try LinkError.check(
        unsafe link_device_make_plain(end), "switch the offloads of \(end) off")
    }
    try Child.ip("link", "set", device, "netns", namespace, "name", "eth0")
    try Child.ip("-n", namespace, "link", "set", "lo", "up")
    try Child.ip(
      "-n", namespace, "address", "add", "\(addressIPv4)/24", "broadcast", "+", "dev", "eth0")
    try Child.ip(
      "-n", namespace, "address", "add", "\(addressIPv6)/64", "dev", "eth0", "nodad")
    try Child.ip("-n", namespace, "link", "set", "eth0", "up")
    try Child.ip("-n", namespace, "route", "add", "224.0.0.0/4", "dev", "eth0")
    try Child.ip("link", "set", port, "up")
  }

  /// Removes what killed emulators left; their devices went with them.
  ///
  /// - Throws: `LinkError`.
  static func removeLeftovers() throws(LinkError) {
    for name in NodeClaim.all() {
      guard let claim = try NodeClaim(name) else { continue }
      remove(name)
      claim.forget()
    }
  }

  private static func namespace(of name: String) -> String { "comlink-\(name)" }

  private static func path(of name: String) -> String { "/run/netns/\(namespace(of: name))" }

  private static func remove(_ name: String) {
    guard unsafe access(path(of: name), F_OK) == 0 else { return }
    // What it says on stderr is all that can be done.
    try? Child.ip("netns", "del", namespace(of: name))
  }
}
