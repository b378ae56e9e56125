import Cryptography
import Mesh
import NIOCore
import NIOSSL
import TestKit
import Testing

@testable import ControlPlane

/// Whoever does not keep to the rules loses its connection, and nobody else loses anything.
@Suite struct HostileTests {
  /// Whether a node that means well still gets in.
  private func goodNodeGetsIn(to station: Station) async throws {
    let good = try Station()
    try await withStations(good) { _ = try await good.connect(to: station) }
  }

  @Test(arguments: ["P-256", "RSA", "none", "TLS 1.2"])
  func `a key of another kind, no certificate and an older TLS are refused`(
    kind: String
  ) async throws {
    let station = try Station()
    try await withStations(station) {
      var manners =
        switch kind {
        case "P-256": try Stranger.Manners.foreign(ForeignKeys.p256)
        case "RSA": try Stranger.Manners.foreign(ForeignKeys.rsa)
        case "none": Stranger.Manners()
        default: try Stranger.Manners.node(TestIdentity())
        }
      if kind == "TLS 1.2" { manners.maximumVersion = .tlsv12 }
      let stranger = try await Stranger(station.plane.localAddress, manners)
      stranger.proveNothing()
      let fault = try await station.recorder.fault()
      #expect([.tls, .foreignKey, .gone].contains(fault.reason), "\(fault)")
      #expect(fault.remote?.host == Station.loopback.host && fault.node == nil)
      try await stranger.ended()
      try await goodNodeGetsIn(to: station)
      #expect(
        !station.recorder.rest.contains { if case .event(.accepted) = $0 { true } else { false } })
    }
  }

  @Test func `a node of another major version is told so before it is cut`() async throws {
    let station = try Station()
    try await withStations(station) {
      let stranger = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      stranger.proveNothing()
      // A hello of which nothing is known but its version, 9.0.
      stranger.send([0, 0, 0, 4, 1, 1, 1, 9])
      try await station.recorder.fault(.malformed)
      var words: [String] = []
      for await message in stranger.messages() {
        if case .decline(let decline) = message { words.append(decline.words) }
      }
      #expect(words == ["you speak protocol 9.0, this node 2.3: update the older"])
      try await goodNodeGetsIn(to: station)
    }
  }

  @Test(arguments: [[], ["h2"], ["comlink/2"]])
  func `who does not say what it wants, or wants something else, is refused`(
    purposes: [String]
  ) async throws {
    let station = try Station()
    try await withStations(station) {
      var manners = try Stranger.Manners.node(TestIdentity())
      manners.purposes = purposes
      let stranger = try await Stranger(station.plane.localAddress, manners)
      try await station.recorder.fault(.wrongPurpose)
      try await stranger.ended()
      try await goodNodeGetsIn(to: station)
    }
  }

  @Test func `plain text and a scan of ports are harmless`() async throws {
    let station = try Station()
    try await withStations(station) {
      let browser = try await Stranger(station.plane.localAddress, .plain)
      browser.send(Array("GET / HTTP/1.1\r\nHost: stage\r\n\r\n".utf8))
      let fault = try await station.recorder.fault()
      #expect(fault.reason == .tls && fault.words == "TLS: HTTP_REQUEST", "\(fault)")
      try await browser.ended()
      for _ in 0..<20 { try await Stranger(station.plane.localAddress, .plain).close() }
      for _ in 0..<20 { try await station.recorder.fault(.gone) }
      try await goodNodeGetsIn(to: station)
    }
  }

  @Test func `random octets from 200 connections end those and no others`() async throws {
    let seed: UInt64 = 0x0C01_0005
    var random = SplitMix64(seed: seed)
    let station = try Station()
    try await withStations(station) {
      for index in 0..<200 {
        let stranger = try await Stranger(
          station.plane.localAddress, .plain, source: UInt8(2 + index % 100))
        var octets = (0..<Int.random(in: 1...600, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        // Half of them begin as a record of a handshake does.
        if index % 2 == 0 { octets = [22, 3, 1, 0, UInt8(octets.count & 0xFF), 1] + octets }
        stranger.send(octets)
        stranger.channel.close(mode: .output, promise: nil)
        try await stranger.ended()
      }
      try await goodNodeGetsIn(to: station)
      #expect(station.plane.faultCounts.values.reduce(0, +) == 200, "seed \(seed)")
    }
  }

  @Test func `random octets behind TLS end the connection and nothing else`() async throws {
    var random = SplitMix64(seed: 0x0C01_0006)
    let station = try Station()
    try await withStations(station) {
      for index in 0..<40 {
        let stranger = try await Stranger(
          station.plane.localAddress, .node(TestIdentity()), source: UInt8(2 + index % 100))
        if index % 2 == 0 { stranger.proveNothing() }
        var octets = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
        octets[0...3] = [0, 0, 0, UInt8.random(in: 0...40, using: &random)]
        stranger.send(octets)
        try await stranger.ended()
      }
      try await goodNodeGetsIn(to: station)
      #expect(station.plane.faultCounts.values.reduce(0, +) == 40)
    }
  }

  @Test func `a length of 4 GiB is refused, and so is a message of no octets`() async throws {
    let station = try Station()
    try await withStations(station) {
      for (prefix, reason): ([UInt8], ControlFault.Reason) in [
        ([0xFF, 0xFF, 0xFF, 0xFF], .oversized), ([0, 0, 0, 0], .malformed),
      ] {
        for isOpen in [false, true] {
          let stranger = try await Stranger(
            station.plane.localAddress, .node(TestIdentity()))
          if isOpen {
            stranger.proveNothing()
            let opened = try await station.recorder.accepted()
            stranger.send(prefix)
            try await station.recorder.closed(opened.connection)
          } else {
            stranger.send(prefix)
          }
          try await station.recorder.fault(reason)
          try await stranger.ended()
        }
      }
    }
  }

  @Test(arguments: [3, 100, 300, 600, 900, 1200])
  func `a bit that is flipped on the way ends the connection only`(octet: Int) async throws {
    let one = try Station { $0.times.proofNanoseconds = 1_500_000_000 }
    let other = try Station()
    try await withStations(one, other) {
      let proxy = try await FlipProxy(to: other.plane.localAddress, flipAt: octet)
      let attempt = one.dial(proxy.address)
      let dialled = try await one.recorder.first { happening -> OpenedConnection?? in
        switch happening {
        case .event(.dialled(attempt, let opened)): .some(opened)
        case .event(.failed(attempt)): .some(nil)
        default: nil
        }
      }
      if let dialled {
        for _ in 0..<100 { one.plane.send(.invite, on: dialled.connection) }
        try await one.recorder.closed(dialled.connection)
      }
      _ = try await other.recorder.fault()
      proxy.close()
      let (own, _) = try await one.connect(to: other)
      #expect(own.node == other.id)
    }
  }

  @Test func `a proxy that flips nothing is none`() async throws {
    let (one, other) = (try Station(), try Station())
    try await withStations(one, other) {
      let proxy = try await FlipProxy(to: other.plane.localAddress, flipAt: nil)
      let attempt = one.dial(proxy.address)
      #expect(try await one.recorder.dialled(attempt).node == other.id)
      proxy.close()
    }
  }

  @Test func `a handshake that was recorded opens nothing when it is played again`() async throws {
    let (one, other) = (try Station(), try Station { $0.times.proofNanoseconds = 1_500_000_000 })
    try await withStations(one, other) {
      let proxy = try await FlipProxy(to: other.plane.localAddress, flipAt: nil)
      let attempt = one.dial(proxy.address)
      let dialled = try await one.recorder.dialled(attempt)
      let accepted = try await other.recorder.accepted()
      one.plane.send(.invite, on: dialled.connection)
      _ = try await other.recorder.message()
      one.plane.close(dialled.connection)
      try await other.recorder.closed(accepted.connection)
      proxy.close()
      let recorded = proxy.recorded
      #expect(recorded.joined().count > 500, "hello, certificate, signature and a message")
      for isInOne in [true, false] {
        let replay = try await Stranger(other.plane.localAddress, .plain)
        for part in isInOne ? [Array(recorded.joined())] : recorded {
          replay.send(part)
          try await Task.sleep(for: .milliseconds(50))
        }
        let fault = try await other.recorder.fault()
        #expect([.tls, .gone, .lateProof].contains(fault.reason), "\(fault)")
        #expect(fault.node == nil, "it proved to be nobody")
        try await replay.ended()
      }
      #expect(
        !other.recorder.rest.contains { if case .event(.accepted) = $0 { true } else { false } })
      try await goodNodeGetsIn(to: other)
    }
  }
}
