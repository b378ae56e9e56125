import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Datagrams of a member's that were changed on the way.
extension StationAttackTests {
  /// Bert's last packet and his last report, neither of which has come to Anna.
  private func keptFromAnna() throws -> [Datagram] {
    network.cut(home)
    let begin = network.now
    let isSent = network.run(
      until: { !network.reports(to: home, since: begin).isEmpty }, limitSeconds: 1.3)
    try #require(isSent)
    network.mend(home)
    return [
      try #require(network.media(to: home).last), try #require(network.reports(to: home).last),
    ]
  }

  @Test func `a bit flipped anywhere costs a counter`() throws {
    // Kept from Anna until all else has been tried.
    let kept = try keptFromAnna()
    var bits = 0
    for datagram in kept {
      bits += 8 * datagram.bytes.count
      for bit in 0..<(8 * datagram.bytes.count) {
        var flipped = datagram.bytes
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        inject(flipped)
      }
    }
    #expect(anna.station.drops.byReason.values.reduce(0, +) == bits)
    #expect(anna.drops("notAuthentic") > 1000)
    #expect(anna.drops("unknownKey") > 0 && anna.drops("unknownSSRC") >= 32)
    #expect(anna.drops("malformed.srtp") + anna.drops("notRTP") > 0)
    let received = try #require(anna.statuses(network).first).received
    inject(kept[0].bytes)
    inject(kept[1].bytes)
    #expect(anna.station.drops.byReason.values.reduce(0, +) == bits)
    #expect(try #require(anna.statuses(network).first).received == received + 1)
  }

  @Test func `what is cut short costs a counter`() throws {
    // Or it would be the replay that is refused.
    let kept = try keptFromAnna()
    var count = anna.station.drops.byReason.values.reduce(0, +)
    for datagram in kept {
      for length in datagram.bytes.indices { inject(Array(datagram.bytes[..<length])) }
      inject(datagram.bytes + [0])
      count += datagram.bytes.count + 1
    }
    #expect(anna.station.drops.byReason.values.reduce(0, +) == count)
    #expect(anna.drops("replayed") == 0)
  }

  @Test func `an epoch that is not there is unknown`() throws {
    for datagram in captured() {
      var other = datagram.bytes
      other[other.count - 4] = 9
      inject(other)
    }
    #expect(anna.drops("unknownKey") == captured().count)
    try isUnharmed()
  }

  @Test(arguments: Seeds.first(20))
  func `nothing that comes traps or harms`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let originals = captured().map(\.bytes)
    for _ in 0..<500 {
      guard var bytes = originals.randomElement(using: &random) else { continue }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        // The SSRC mostly stays, or nobody would look any further.
        if (4..<12).contains(place), !random.chance(0.05) { continue }
        bytes[place] ^= UInt8.random(in: 1...255, using: &random)
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      case 1: bytes += (0..<Int.random(in: 0...200, using: &random)).map { _ in 0x5A }
      case 2:
        bytes = (0..<Int.random(in: 0...1500, using: &random)).map { place in
          place < 12 && place < bytes.count ? bytes[place] : .random(in: 0...255, using: &random)
        }
      default: break
      }
      guard !originals.contains(bytes) else { continue }
      inject(bytes, from: random.chance(0.5) ? away : .host(200))
    }
    #expect(anna.station.seen.map(\.address) == [away], "seed \(seed)")
    #expect(anna.connected(bert) != nil, "seed \(seed)")
    try isUnharmed(for: 1)
  }
}
