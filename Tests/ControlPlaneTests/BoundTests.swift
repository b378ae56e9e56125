import Cryptography
import Mesh
import NIOCore
import Testing

@testable import ControlPlane

/// How long and how much others may take, with times that are shorter than the real ones.
@Suite struct BoundTests {
  @Test func `who connects and says nothing, or never proves its groups, is cut`() async throws {
    let station = try Station { $0.times.proofNanoseconds = 500_000_000 }
    try await withStations(station) {
      let silent = try await Stranger(station.plane.localAddress, .plain)
      let unproven = try await Stranger(
        station.plane.localAddress, .node(TestIdentity()))
      for _ in 0..<2 { try await station.recorder.fault(.lateProof) }
      try await silent.ended()
      try await unproven.ended()
    }
  }

  @Test func `a node that dials somebody who says nothing gives up`() async throws {
    let one = try Station { $0.times.proofNanoseconds = 300_000_000 }
    try await withStations(one) {
      let blackHole = try await BlackHole()
      let attempt = one.dial(blackHole.address)
      try await one.recorder.failed(attempt)
      try await one.recorder.fault(.lateProof)
      blackHole.close()
    }
  }

  @Test func `a handshake that comes octet by octet is cut in time`() async throws {
    let station = try Station { $0.times.proofNanoseconds = 500_000_000 }
    try await withStations(station) {
      let slow = try await Stranger(station.plane.localAddress, .plain)
      let drip = Task {
        slow.send([22, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3])
        while !Task.isCancelled {
          slow.send([0])
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      try await station.recorder.fault(.lateProof)
      try await slow.ended()
      drip.cancel()
    }
  }

  @Test func `a message that is begun and not finished is cut; one in parts in time is not`()
    async throws
  {
    let station = try Station { $0.limits.stranger.messageNanoseconds = 400_000_000 }
    try await withStations(station) {
      let slow = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      slow.proveNothing()
      let opened = try await station.recorder.accepted()
      slow.send([0, 0])
      slow.send([0, 1, 3])
      #expect(try await station.recorder.message() == .invite)
      slow.send([0, 0, 0, 9, 5])
      try await station.recorder.fault(.slow)
      try await station.recorder.closed(opened.connection)
      try await slow.ended()
    }
  }

  @Test func `a handler that is slow does not make a message slow`() async throws {
    let station = try Station { $0.limits.stranger.messageNanoseconds = 300_000_000 }
    try await withStations(station) {
      let peer = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      peer.proveNothing()
      _ = try await station.recorder.accepted()
      station.recorder.hold(true)
      peer.send(Message.invite.frame() + [0, 0, 0, 1])
      #expect(try await station.recorder.message() == .invite)
      // Longer than a message may take: the time of the test is what is tested.
      try await Task.sleep(for: .milliseconds(700))
      peer.send([3])
      station.recorder.hold(false)
      #expect(try await station.recorder.message() == .invite)
      peer.close()
    }
  }

  @Test func `while a handler is busy its peer is not read, and a flood waits outside`()
    async throws
  {
    let (one, other) = (
      try Station { $0.socketBytes = 16 * 1024 }, try Station { $0.socketBytes = 16 * 1024 }
    )
    try await withStations(one, other) {
      let (own, _) = try await one.connect(to: other)
      other.recorder.hold(true)
      let words = String(repeating: "x", count: 63)
      // Some 1.4 MiB, which neither the other end nor the kernel takes.
      for _ in 0..<20_000 { one.plane.send(.decline(Decline(words: words)), on: own.connection) }
      try await one.recorder.fault(.stalled)
      try await one.recorder.closed(own.connection)
    }
  }

  @Test func `who never reads is closed when nothing moves`() async throws {
    let station = try Station {
      $0.socketBytes = 16 * 1024
      $0.times.stallNanoseconds = 800_000_000
    }
    try await withStations(station) {
      let peer = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      peer.proveNothing()
      let opened = try await station.recorder.accepted()
      try await peer.channel.setOption(.autoRead, value: false).get()
      let words = String(repeating: "x", count: 63)
      for _ in 0..<14_000 {
        station.plane.send(.decline(Decline(words: words)), on: opened.connection)
      }
      let fault = try await station.recorder.fault()
      // The kernel, too, may find that nothing moves.
      #expect([.stalled, .broken].contains(fault.reason), "\(fault)")
      try await station.recorder.closed(opened.connection)
      peer.close()
    }
  }

  @Test func `a node gets in while 100 addresses crowd`() async throws {
    let station = try Station { $0.times.proofNanoseconds = 60_000_000_000 }
    try await withStations(station) {
      var strangers: [Stranger] = []
      for index in 0..<100 {
        strangers.append(
          try await Stranger(station.plane.localAddress, .plain, source: UInt8(10 + index)))
      }
      for _ in 0..<36 { try await station.recorder.fault(.crowded) }
      let node = try Station()
      try await withStations(node) { _ = try await node.connect(to: station) }
      for stranger in strangers { stranger.close() }
    }
  }

  @Test func `where all places are taken the address that has most loses one to a node`()
    async throws
  {
    let station = try Station {
      $0.times.proofNanoseconds = 60_000_000_000
      $0.limits.unproven = 8
      $0.limits.unprovenPerAddress = 4
    }
    try await withStations(station) {
      var strangers: [Stranger] = []
      for source: UInt8 in [2, 3, 3, 3, 4, 4, 5, 6] {
        strangers.append(
          try await Stranger(station.plane.localAddress, .plain, source: source))
      }
      let node = try Station()
      try await withStations(node) { _ = try await node.connect(to: station) }
      try await strangers[1].ended()
      #expect(station.plane.faultCounts == [.crowded: 1])
      for stranger in strangers { stranger.close() }
    }
  }

  @Test func `unfinished messages are bounded together: whoever holds most is cut, others go on`()
    async throws
  {
    let station = try Station { $0.limits.heldBytes = 100_000 }
    try await withStations(station) {
      var opened: [(peer: Stranger, connection: ConnectionID)] = []
      for count in [45_000, 30_000, 30_000] {
        let peer = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
        peer.proveNothing()
        opened.append((peer, try await station.recorder.accepted().connection))
        // A message of 50 000 octets, of a type that nobody knows.
        peer.send([0, 0, 0xC3, 0x50, 0x3F] + [UInt8](repeating: 0, count: count - 1))
      }
      try await station.recorder.closed(opened[0].connection)
      #expect(station.plane.faultCounts == [.overfull: 1])
      opened[1].peer.send([UInt8](repeating: 0, count: 20_000))
      #expect(try await station.recorder.message() == .unknown(type: 0x3F))
      for one in opened { one.peer.close() }
    }
  }

  @Test func `200 connections of strangers are bounded, and a node gets in beside and after them`()
    async throws
  {
    let station = try Station { $0.times.proofNanoseconds = 60_000_000_000 }
    try await withStations(station) {
      var strangers: [Stranger] = []
      for index in 0..<100 {
        strangers.append(
          try await Stranger(station.plane.localAddress, .plain, source: 2))
        if index < 8 { continue }
        try await station.recorder.fault(.crowdedAddress)
      }
      let beside = try Station()
      try await withStations(beside) { _ = try await beside.connect(to: station) }
      for index in 0..<100 {
        strangers.append(
          try await Stranger(
            station.plane.localAddress, .plain, source: UInt8(10 + index)))
      }
      try await station.recorder.fault(.crowded)
      for stranger in strangers { stranger.close() }
      for _ in 0..<107 { _ = try await station.recorder.fault() }
      let counts = station.plane.faultCounts
      #expect(counts.values.reduce(0, +) == 200, "\(counts)")
      #expect(counts[.crowded, default: 0] > 0)
      let after = try Station()
      try await withStations(after) { _ = try await after.connect(to: station) }
    }
  }
}
