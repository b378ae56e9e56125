import CUring
import Glibc
import Synchronization
import Testing

@testable import EventLoop

struct UDPEndpointTests {
  /// Sends one packet to all destinations at its first wake-up.
  private func sendOnce(
    _ loop: EventLoop, _ endpoint: UDPEndpoint, _ bytes: [UInt8], to destinations: [SocketAddress]
  ) -> RecordingHandler {
    let isSent = Atomic<Bool>(false)
    let handler = RecordingHandler { _ in
      guard !isSent.exchange(true, ordering: .relaxed) else { return .max }
      guard let packet = endpoint.makePacket({ fill(&$0, bytes) }) else { return .max }
      for destination in destinations { endpoint.send(packet, to: destination) }
      return .max
    }
    loop.setHandler(handler)
    return handler
  }

  @Test(arguments: completionModes)
  func `a packet is made once and sent to many`(mode: EventLoopFeatures.CompletionMode) async throws
  {
    let loop = try makeLoop(mode)
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let receivers = try (0..<20).map { _ in try PlainSocket() }
    let bytes = (0..<200).map { UInt8($0) }
    _ = sendOnce(loop, endpoint, bytes, to: receivers.map(\.address))
    try loop.start()
    defer { loop.stop() }
    for receiver in receivers { #expect(receiver.receive() == bytes) }
    #expect(loop.statistics.datagramsOut == 20)
    #expect(loop.statistics.bytesOut == 4000)
  }

  @Test func `a port that is let go of within a second is waited for`() async throws {
    var holder: PlainSocket? = try PlainSocket()
    let address = try #require(holder?.address)
    let loop = try makeLoop()
    defer { loop.stop() }
    async let endpoint = Task.detached { try UDPEndpoint(loop: loop, bindingTo: address) }.value
    try await Task.sleep(for: .milliseconds(200))
    withExtendedLifetime(holder) {}
    holder = nil
    #expect(try await endpoint.localAddress == address)
  }

  @Test(.enabled(if: hasIPv6))
  func `IPv6 goes both ways`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: loopback(.ipv6, port: 0))
    let far = try PlainSocket(.ipv6)
    let handler = sendOnce(loop, endpoint, [9, 8, 7], to: [far.address])
    try loop.start()
    defer { loop.stop() }
    #expect(far.receive() == [9, 8, 7])
    far.send([4, 5], to: endpoint.localAddress)
    #expect(await loop.beatAndWait())
    #expect(await eventually { handler.datagrams.count == 1 })
    #expect(handler.datagrams.first?.source == far.address)
    #expect(handler.datagrams.first?.bytes == [4, 5])
  }

  @Test(.enabled(if: hasIPv6))
  func `a socket on [::] speaks IPv4 and IPv6, and shows IPv4 peers as IPv4`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(
      loop: loop, bindingTo: SocketAddress(ipv6: 0, 0, port: 0))
    let far = [try PlainSocket(.ipv4), try PlainSocket(.ipv6)]
    let handler = sendOnce(loop, endpoint, [1], to: far.map(\.address))
    try loop.start()
    defer { loop.stop() }
    for socket in far {
      #expect(socket.receive() == [1])
      socket.send([2], to: loopback(socket.family, port: endpoint.localAddress.port))
    }
    #expect(await loop.beatAndWait())
    #expect(await eventually { handler.datagrams.count == 2 })
    #expect(Set(handler.datagrams.map(\.source)) == Set(far.map(\.address)))
    #expect(unsafe uring_socket_traffic_class(loop.ring.handle, true) == 0xB8)
    #expect(unsafe uring_socket_traffic_class(loop.ring.handle, false) == 0xB8)
    #expect(unsafe uring_socket_priority(loop.ring.handle) == 6)
  }

  @Test
  func `the socket has the wanted class, priority and room`() throws {
    let loop = try makeLoop()
    // Less than any system allows (net.core.rmem_max), and other than its default.
    let endpoint = try UDPEndpoint(
      loop: loop, bindingTo: .loopback(port: 0),
      configuration: UDPEndpointConfiguration(receiveBufferBytes: 64 << 10))
    #expect(unsafe uring_socket_traffic_class(loop.ring.handle, false) == 0xB8)
    #expect(unsafe uring_socket_priority(loop.ring.handle) == 6)
    // The kernel doubles it, for its own overhead (socket(7)).
    #expect(endpoint.receiveBufferBytes == 128 << 10)
  }

  @Test
  func `a port in use is named, with the way to find who has it`() throws {
    let other = try PlainSocket()
    let address = other.address
    let expected = EventLoopError.endpoint(.bind, address, errno: EADDRINUSE)
    let loop = try makeLoop()
    #expect(throws: expected) { try UDPEndpoint(loop: loop, bindingTo: address) }
    #expect(expected.description.contains("port \(address.port)"))
    #expect(expected.description.contains("in use"))
    #expect(throws: Never.self) { try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0)) }
  }

  @Test
  func `an address of another machine is refused in words`() throws {
    let address = try SocketAddress(parsing: "192.0.2.1:5004")
    let expected = EventLoopError.endpoint(.bind, address, errno: EADDRNOTAVAIL)
    let loop = try makeLoop()
    #expect(throws: expected) { try UDPEndpoint(loop: loop, bindingTo: address) }
    #expect(expected.description.contains("192.0.2.1 is not an address of this machine"))
  }

  @Test
  func `a loop takes one endpoint, before it starts`() throws {
    let loop = try makeLoop()
    _ = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    #expect(throws: EventLoopError.endpointTooLate) {
      try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    }
    let running = try makeLoop()
    try running.start()
    defer { running.stop() }
    #expect(throws: EventLoopError.endpointTooLate) {
      try UDPEndpoint(loop: running, bindingTo: .loopback(port: 0))
    }
  }

  @Test
  func `datagrams of 0 to 1500 bytes are heard, longer ones counted and dropped`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let handler = RecordingHandler()
    loop.setHandler(handler)
    try loop.start()
    defer { loop.stop() }
    let sender = try PlainSocket()
    for size in [0, 1, 1499, 1500, 1501, 1936, 1937, 2048, 9000, 65_000, 12] {
      #expect(
        sender.send([UInt8](repeating: 5, count: size), to: endpoint.localAddress) == size)
    }
    #expect(await loop.beatAndWait())
    #expect(await eventually { handler.datagrams.count == 5 })
    #expect(handler.datagrams.map(\.bytes.count) == [0, 1, 1499, 1500, 12])
    let end = loop.statistics
    #expect(end.datagramsIn == 5)
    #expect(end.oversizedDrops + end.truncatedDrops == 6)
    #expect(end.truncatedDrops >= 3)
  }

  @Test(arguments: completionModes)
  func `a send that fails is counted by kind and told to the handler`(
    mode: EventLoopFeatures.CompletionMode
  ) async throws {
    let loop = try makeLoop(mode)
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let far = try PlainSocket()
    // A socket bound to 127.0.0.1 can reach neither IPv6 nor a network beyond this machine.
    let wrongFamily = SocketAddress(ipv6: 0, 1, port: 9)
    let handler = sendOnce(loop, endpoint, [3], to: [wrongFamily, wrongFamily, far.address])
    try loop.start()
    defer { loop.stop() }
    #expect(far.receive() == [3])
    #expect(await eventually { loop.statistics.sendsRefused == 2 })
    #expect(await eventually { handler.record.withLock { $0.failures.count } == 2 })
    let failures = handler.record.withLock { $0.failures }
    #expect(failures.allSatisfy { $0.destination == wrongFamily && $0.errno == EAFNOSUPPORT })
    #expect(loop.statistics.datagramsOut == 1)
    #expect(loop.statistics.bytesOut == 1)
    #expect(await loop.beatAndWait(), "failures do not count as wake-ups, nor stop them")
  }

  @Test
  func `more sends than the queue holds all go out, with early submits`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let receivers = try (0..<25).map { _ in try PlainSocket() }
    let destinations = (0..<2500).map { receivers[$0 % 25].address }
    _ = sendOnce(loop, endpoint, [7], to: destinations)
    try loop.start()
    defer { loop.stop() }
    for _ in 0..<100 {
      for receiver in receivers { #expect(receiver.receive() == [7]) }
    }
    #expect(await eventually { loop.statistics.datagramsOut == 2500 })
    #expect(loop.statistics.earlySubmits >= 1)
    let end = loop.statistics
    #expect(end.sendsFull + end.sendsUnreachable + end.sendsRefused == 0)
  }

  @Test
  func `a wake-up makes 128 packets and no more, the next one as many again`() async throws {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let counts = Guarded<[Int]>([])
    loop.setHandler(
      RecordingHandler { _ in
        var count = 0
        while endpoint.makePacket({ fill(&$0, [1]) }) != nil { count += 1 }
        #expect(endpoint.makePacket { _ in 0 } == nil)
        counts.withLock { $0.append(count) }
        return .max
      })
    try loop.start()
    defer { loop.stop() }
    for _ in 0..<3 { #expect(await loop.beatAndWait()) }
    #expect(await eventually { counts.withLock { $0.count } >= 4 })
    #expect(counts.withLock { $0 }.dropFirst().allSatisfy { $0 == 128 })
    #expect(loop.statistics.packetShortages > 0)
  }

  @Test(arguments: completionModes)
  func `a flood neither hangs the loop nor goes uncounted`(mode: EventLoopFeatures.CompletionMode)
    async throws
  {
    let loop = try makeLoop(mode)
    var configuration = UDPEndpointConfiguration()
    configuration.receiveBufferBytes = 1 << 18
    let endpoint = try UDPEndpoint(
      loop: loop, bindingTo: .loopback(port: 0), configuration: configuration)
    try loop.start()
    defer { loop.stop() }
    let sender = try PlainSocket()
    var sent: UInt64 = 0
    for _ in 0..<5000 where sender.send([1, 2, 3, 4], to: endpoint.localAddress) == 4 { sent += 1 }
    // The count of what the kernel dropped comes with the next datagram that gets through.
    let isAccounted = await eventually {
      if sender.send([5], to: endpoint.localAddress) == 1 { sent += 1 }
      loop.beat()
      // What was just sent is counted once the loop has woken.
      usleep(5_000)
      return loop.statistics.datagramsIn + loop.statistics.kernelDrops == sent
    }
    #expect(isAccounted, "\(loop.statistics) of \(sent)")
    #expect(loop.statistics.kernelDrops > 0)
    #expect(loop.statistics.datagramsIn > 33)
    #expect(loop.statistics.extraEnters > 0)
  }
}
