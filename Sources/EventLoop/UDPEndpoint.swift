import CUring
import Glibc

/// The UDP socket of an event loop; open until the loop's `stop`.
///
/// Its datagrams go to the loop's handler. One endpoint a loop, bound before the loop starts.
public final class UDPEndpoint: Sendable {
  /// The longest packet that can be made or received.
  public static let maximumByteCount = Int(URING_PACKET_BYTES)

  /// The bound address, with the port the system chose where 0 was asked for.
  public let localAddress: SocketAddress
  /// The receive buffer the kernel granted, its own overhead included: at most twice what was asked
  /// for.
  public let receiveBufferBytes: Int
  private let loop: EventLoop

  /// Opens and binds the socket.
  ///
  /// `[::]` takes IPv4 too. A port that is taken is waited for, a second at most: of a process that was killed just now
  /// the kernel closes it a moment later. Any thread.
  public init(
    loop: EventLoop, bindingTo address: SocketAddress,
    configuration: UDPEndpointConfiguration = UDPEndpointConfiguration()
  ) throws(EventLoopError) {
    self.loop = loop
    let result = loop.lifecycle.withLock { state in
      state.phase == .made
        ? Self.open(loop.ring, address, configuration) : .failure(.endpointTooLate)
    }
    localAddress = try result.get()
    receiveBufferBytes = Int(unsafe uring_socket_receive_buffer_bytes(loop.ring.handle))
  }

  /// Lets the first datagram end the coming wait, which else waits for the audio thread or the deadline;
  /// on average at most once in 5 ms.
  ///
  /// Loop thread.
  public func wakeOnDatagram() {
    loop.checkIsolated()
    guard unsafe loop.ring.handle != nil else { return }
    unsafe uring_wake_on_datagram(loop.ring.handle)
  }

  private static func open(
    _ ring: Ring, _ address: SocketAddress, _ configuration: UDPEndpointConfiguration
  ) -> Result<SocketAddress, EventLoopError> {
    var settings = uring_socket_settings(
      address: address.uringAddress,
      receive_buffer_bytes: Int32(clamping: configuration.receiveBufferBytes),
      send_buffer_bytes: Int32(clamping: configuration.sendBufferBytes),
      priority: Int32(clamping: configuration.priority),
      traffic_class: configuration.trafficClass)
    var step = uring_socket_step(0)
    let result = unsafe uring_socket_open(ring.handle, &settings, &step)
    if result == 0 { return .success(SocketAddress(unsafe uring_socket_address(ring.handle))) }
    if let step = EventLoopError.EndpointStep(step), unsafe ring.handle != nil, result != -EEXIST {
      return .failure(.endpoint(step, address, errno: -result))
    }
    return .failure(.endpointTooLate)
  }

  /// Makes a packet in the loop's memory: `fill` writes it and returns its byte count.
  ///
  /// Loop thread. Nil: `fill` returned nothing to send (0 or less), this wake-up has made 128
  /// packets already, or the loop has stopped.
  public func makePacket(_ fill: (inout MutableRawSpan) -> Int) -> PacketSlot? {
    loop.checkIsolated()
    guard unsafe loop.ring.handle != nil,
      let memory = unsafe uring_packet_memory(loop.ring.handle)
    else { return nil }
    let buffer = unsafe UnsafeMutableRawBufferPointer(
      start: memory, count: Self.maximumByteCount)
    var bytes = unsafe buffer.mutableBytes
    let byteCount = fill(&bytes)
    guard byteCount > 0 else { return nil }
    precondition(byteCount <= Self.maximumByteCount, "a packet longer than its slot")
    let number = unsafe uring_packet_commit(loop.ring.handle, UInt32(byteCount))
    return PacketSlot(
      number: number, generation: unsafe uring_generation(loop.ring.handle), byteCount: byteCount)
  }

  /// Sends a packet with the coming wait; a failure shows in the counters and at the handler.
  ///
  /// Loop thread.
  public func send(_ packet: PacketSlot, to destination: SocketAddress) {
    loop.checkIsolated()
    guard unsafe loop.ring.handle != nil else { return }
    let generation = unsafe uring_generation(loop.ring.handle)
    precondition(packet.generation == generation, "a packet of an earlier wake-up")
    var address = destination.uringAddress
    unsafe uring_send(loop.ring.handle, packet.number, &address)
  }
}

extension EventLoopError.EndpointStep {
  fileprivate init?(_ step: uring_socket_step) {
    switch step {
    case URING_SOCKET_OPEN: self = .open
    case URING_SOCKET_OPTIONS: self = .options
    case URING_SOCKET_BIND: self = .bind
    default: return nil
    }
  }
}

/// A packet made in the loop's own memory, to be sent to any number of destinations.
///
/// Good until the handler's `woke` of the same wake-up has returned; using it later traps.
public struct PacketSlot: Sendable {
  let number: UInt32
  let generation: UInt64
  /// The packet's length.
  public let byteCount: Int
}

/// The options of a UDP socket.
public struct UDPEndpointConfiguration: Sendable {
  /// Socket memory for datagrams that wait for the next wake-up.
  public var receiveBufferBytes: Int
  /// Socket memory for datagrams on their way out.
  public var sendBufferBytes: Int
  /// SO_PRIORITY, 0 … 6.
  public var priority: Int
  /// The DSCP in the upper six bits (RFC 2474 §3); 0xB8 is Expedited Forwarding (RFC 3246).
  public var trafficClass: UInt8

  /// 1 MiB to receive, 512 KiB to send, priority 6 and Expedited Forwarding unless told otherwise.
  public init(
    receiveBufferBytes: Int = 1 << 20, sendBufferBytes: Int = 1 << 19, priority: Int = 6,
    trafficClass: UInt8 = 0xB8
  ) {
    self.receiveBufferBytes = receiveBufferBytes
    self.sendBufferBytes = sendBufferBytes
    self.priority = priority
    self.trafficClass = trafficClass
  }
}
