internal import Dispatch
internal import Glibc
internal import Synchronization

/// Tells when the machine's interfaces or addresses change (rtnetlink(7)).
///
/// Changes come in bursts: what happens within ``quiet`` is told once. The kernel also tells of scans of the radio and
/// of addresses whose lifetime was renewed, as anybody on the network can cause: only a difference counts.
final class NetworkWatch: Sendable {
  private static let quiet = DispatchTimeInterval.milliseconds(200)
  /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR.
  private static let groups: UInt32 = 0x1 | 0x10 | 0x100

  /// `struct sockaddr_nl` (netlink(7)), of which Glibc's module knows nothing.
  private struct NetlinkAddress {
    var family = sa_family_t(AF_NETLINK)
    var padding: UInt16 = 0
    var port: UInt32 = 0
    var groups: UInt32
  }

  /// Any thread may use it, which Dispatch's module does not say.
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Watches until ``stop()``; nil where the system gives no netlink socket.
  ///
  /// - Parameter changed: called on a queue of Dispatch's.
  init?(changed: @escaping @Sendable () -> Void) {
    let type =
      Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_NETLINK, type, 0)
    guard descriptor >= 0 else { return nil }
    var address = NetlinkAddress(groups: Self.groups)
    let size = socklen_t(MemoryLayout<NetlinkAddress>.size)
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size)
      }
    }
    guard code == 0 else {
      close(descriptor)
      return nil
    }
    let queue = DispatchQueue(label: "network-watch")
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    let state = Burst(addresses: Self.addresses())
    source.setEventHandler {
      Self.drain(descriptor)
      guard state.begin() else { return }
      queue.asyncAfter(deadline: .now() + Self.quiet) {
        state.end()
        if state.isDifferent(Self.addresses()) { changed() }
      }
    }
    source.setCancelHandler { close(descriptor) }
    unsafe self.source = source
    source.activate()
  }

  /// Watches no longer.
  func stop() { unsafe source.cancel() }

  /// What changed does not matter; that messages were lost neither (ENOBUFS), as others were there.
  private static func drain(_ descriptor: Int32) {
    var octets = [UInt8](repeating: 0, count: 8192)
    while unsafe recv(descriptor, &octets, octets.count, 0) > 0 {}
  }

  /// Every address of every interface that is up and has a cable or a radio link, as octets to compare.
  private static func addresses() -> Set<[UInt8]> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&first) == 0 else { return [] }
    defer { unsafe freeifaddrs(first) }
    let running = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
    var all: Set<[UInt8]> = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      unsafe next = entry.ifa_next
      guard unsafe entry.ifa_flags & running == running, let address = unsafe entry.ifa_addr else {
        continue
      }
      let size: Int
      switch Int32(unsafe address.pointee.sa_family) {
      case AF_INET: size = MemoryLayout<sockaddr_in>.size
      case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
      default: continue
      }
      let name = unsafe Array(String(cString: entry.ifa_name).utf8)
      let octets = unsafe Array(UnsafeRawBufferPointer(start: address, count: size))
      all.insert(name + [0] + octets)
    }
    return all
  }

  /// Whether a change waits to be told.
  private final class Burst: Sendable {
    private let isOn = Mutex(false)
    private let addresses: Mutex<Set<[UInt8]>>

    init(addresses: Set<[UInt8]>) { self.addresses = Mutex(addresses) }

    func isDifferent(_ now: Set<[UInt8]>) -> Bool {
      addresses.withLock { before in
        defer { before = now }
        return before != now
      }
    }

    func begin() -> Bool {
      isOn.withLock { isOn in
        defer { isOn = true }
        return !isOn
      }
    }

    func end() { isOn.withLock { $0 = false } }
  }
}
