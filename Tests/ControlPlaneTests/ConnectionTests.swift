import Cryptography
import Mesh
import Testing

@testable import ControlPlane

/// Connections between nodes that mean well.
@Suite struct ConnectionTests {
  private static let hello = Message.decline(Decline(words: "hello"))

  @Test(arguments: [
    Station.loopback, NodeAddress(.ipv6(0, 1), port: 0), NodeAddress(.ipv6(0, 0), port: 0),
  ])
  func `two planes connect, and each sees the other's ID and address`(
    address: NodeAddress
  ) async throws {
    let (one, other) = (try Station(), try Station(address: address))
    try await withStations(one, other) {
      let port = other.plane.localAddress.port
      let host = address.host == .ipv6(0, 0) ? Station.loopback.host : address.host
      let attempt = one.dial(NodeAddress(host, port: port))
      try await one.recorder.first {
        if case .event(.securing(attempt)) = $0 { () } else { nil }
      }
      let dialled = try await one.recorder.dialled(attempt)
      let accepted = try await other.recorder.accepted()
      #expect(dialled.node == other.id && accepted.node == one.id)
      #expect(dialled.remote == NodeAddress(host, port: port))
      #expect(accepted.remote?.host == host)
      one.plane.send(Self.hello, on: dialled.connection)
      #expect(try await other.recorder.message() == Self.hello)
      other.plane.send(.invite, on: accepted.connection)
      #expect(try await one.recorder.message() == .invite)
    }
    #expect(one.plane.faultCounts.isEmpty && other.plane.faultCounts.isEmpty)
  }

  @Test func `messages come in the order in which they were sent, also to a slow handler`()
    async throws
  {
    let (one, other) = (try Station(), try Station())
    try await withStations(one, other) {
      let (own, _) = try await one.connect(to: other)
      other.recorder.hold(true)
      for index in 0..<200 {
        one.plane.send(.decline(Decline(words: "\(index)")), on: own.connection)
      }
      _ = try await other.recorder.message()
      other.recorder.hold(false)
      for index in 1..<200 {
        #expect(
          try await other.recorder.message() == .decline(Decline(words: "\(index)")))
      }
    }
  }

  @Test func `close sends what is under way first, and the other end is told`() async throws {
    let (one, other) = (try Station(), try Station())
    try await withStations(one, other) {
      let (own, others) = try await one.connect(to: other)
      for _ in 0..<50 { one.plane.send(.invite, on: own.connection) }
      one.plane.send(Self.hello, on: own.connection)
      one.plane.close(own.connection)
      for _ in 0..<50 { #expect(try await other.recorder.message() == .invite) }
      #expect(try await other.recorder.message() == Self.hello)
      try await other.recorder.closed(others.connection)
    }
    #expect(one.plane.faultCounts.isEmpty && other.plane.faultCounts.isEmpty)
    #expect(!one.recorder.rest.contains { if case .event(.closed) = $0 { true } else { false } })
  }

  @Test func `stop closes all, sends what is under way, and leaves the port free`() async throws {
    let (one, other) = (try Station(), try Station())
    try await withStations(other) {
      try await one.plane.start()
      let (own, others) = try await one.connect(to: other)
      let address = one.plane.localAddress
      one.plane.send(Self.hello, on: own.connection)
      let stranger = try await Stranger(address, .plain)
      await one.plane.stop()
      #expect(try await other.recorder.message() == Self.hello)
      try await other.recorder.closed(others.connection)
      try await stranger.ended()
      await one.plane.stop()
      one.plane.send(Self.hello, on: own.connection)
      let next = try Station(address: address)
      try await withStations(next) { #expect(next.plane.localAddress == address) }
    }
  }

  @Test func `a port that is taken is told by its address`() async throws {
    let one = try Station()
    try await withStations(one) {
      let other = try Station(address: one.plane.localAddress)
      let error = await #expect(throws: ControlPlaneError.self) { try await other.plane.start() }
      #expect(error == .addressInUse(address: "127.0.0.1:\(one.plane.localAddress.port)"))
      await other.plane.stop()
    }
  }

  @Test func `nobody listens: the attempt failed, and why is told`() async throws {
    let (one, gone) = (try Station(), try Station())
    try await gone.plane.start()
    let address = gone.plane.localAddress
    await gone.plane.stop()
    try await withStations(one) {
      let attempt = one.dial(address)
      let fault = try await one.recorder.fault()
      #expect(fault.reason == .unreachable && fault.attempt == attempt)
      #expect(fault.description.contains("refused"), "\(fault)")
      try await one.recorder.failed(attempt)
      let nowhere = one.dial(NodeAddress(.observed, port: 1))
      try await one.recorder.failed(nowhere)
    }
  }

  @Test func `an attempt that is given up says nothing more`() async throws {
    let (one, other) = (try Station(), try Station())
    try await withStations(one, other) {
      let attempt = one.dial(other.plane.localAddress)
      one.plane.abandon(attempt)
      _ = try await one.connect(to: other)
    }
    let told = one.recorder.rest.contains {
      switch $0 {
      case .event(.dialled), .event(.failed): true
      default: false
      }
    }
    #expect(!told)
  }

  @Test func `a node that dials itself sees its own ID`() async throws {
    let one = try Station()
    try await withStations(one) {
      let (own, other) = try await one.connect(to: one)
      #expect(own.node == one.id && other.node == one.id)
    }
  }

  @Test func `messages of 64 KiB and one octet are refused before admission and taken after it`()
    async throws
  {
    let long = Array(repeating: UInt8(0x3F), count: 64 * 1024 + 1)
    let frame = [0, 1, 0, 1] + long
    let station = try Station()
    try await withStations(station) {
      for isAdmitted in [false, true] {
        let stranger = try await Stranger(
          station.plane.localAddress, .node(TestIdentity()))
        stranger.proveNothing()
        let opened = try await station.recorder.accepted()
        if isAdmitted { station.plane.raiseLimit(of: opened.connection) }
        // Comes after the limit was raised.
        stranger.send(.invite)
        #expect(try await station.recorder.message() == .invite)
        stranger.send(frame)
        if isAdmitted {
          #expect(try await station.recorder.message() == .unknown(type: 0x3F))
          stranger.close()
        } else {
          try await station.recorder.fault(.oversized)
        }
        try await station.recorder.closed(opened.connection)
      }
    }
  }
}
