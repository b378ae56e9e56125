import Cryptography
import EventLoop
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom

/// More than anybody sends who means well.
extension StationAttackTests {
  private func knock(of node: NodeID) -> [UInt8] {
    var knock = [UInt8](repeating: 0, count: Knock.byteCount)
    var span = knock.mutableSpan
    var raw = unsafe span.mutableBytes
    #expect(Knock.write(node, into: &raw) == Knock.byteCount)
    return knock
  }

  @Test func `a flood of knocks is passed on some a second and hides nobodys who is known`() throws
  {
    let heard = Mutex<[NodeID]>([])
    anna.station.knocks.heard = { node in heard.withLock { $0.append(node) } }
    let (carl, stranger) = (NodeID.named("Carl"), NodeID.named("stranger"))
    anna.station.sendKnocks(at: carl, [.host(3)], as: anna.node)
    for _ in 0..<10_000 { inject(knock(of: stranger), from: .host(9)) }
    for _ in 0..<1000 {
      for known in [bert.node, carl] { inject(knock(of: known)) }
    }
    inject(Array(knock(of: carl).dropLast()), from: .host(9))
    inject([0x44] + knock(of: carl).dropFirst(), from: .host(9))
    let passed = heard.withLock { $0 }
    #expect(passed == [NodeID](repeating: stranger, count: 20) + [bert.node, carl])
    #expect(anna.drops("notRTP") == 2)
    network.run(seconds: 0.6)
    inject(knock(of: carl))
    #expect(heard.withLock { $0.suffix(1) } == [carl])
    try isUnharmed()
  }

  /// The least time that one of a batch took, nanoseconds: what else the machine did is left out.
  private func leastCost(batches: Int, of count: Int, _ receive: (Int) -> Void) -> Double {
    (0..<batches).map { batch in
      let begin = EventLoop.nowNanoseconds()
      for number in (batch * count)..<((batch + 1) * count) { receive(number) }
      return Double(EventLoop.nowNanoseconds() - begin) / Double(count)
    }.min() ?? .nan
  }

  /// What Testing takes for itself of each forgery: a backtrace of every error that is thrown,
  /// which is nothing of the station's.
  private func costOfBacktraces() -> Double {
    @inline(never) func check() throws(CryptoError) { throw .datagram(.notAuthentic) }
    @inline(never) func checkAndCount() throws(CryptoError) {
      do throws(CryptoError) { try check() } catch { throw error }
    }
    return leastCost(batches: 20, of: 100) { _ in try? checkAndCount() }
  }

  /// Forged packets of Bert's SSRC, and of nobody's: neither costs more than a genuine one,
  /// which is decrypted and kept too.
  @Test func `a flood of forgeries takes time and nothing else`() throws {
    let (batches, size) = (Seeds.areFew ? 20 : 1000, 100)
    var random = SplitMix64(seed: 11)
    let template = try #require(network.media(to: home).last).bytes
    var forged = template
    func forgeOfMember() {
      forged[2] = UInt8.random(in: 0...255, using: &random)
      forged[30] &+= 1
      forged[forged.count - 1] = template[forged.count - 1] &+ 1
      inject(forged)
    }
    let ofMember = leastCost(batches: batches, of: size) { _ in forgeOfMember() }
    let ofNobody = leastCost(batches: batches, of: size) { _ in
      forged[8] &+= 1
      if forged[8] == template[8] { forged[8] &+= 1 }
      inject(forged, from: .host(77))
    }
    #expect(anna.drops("notAuthentic") == batches * size)
    #expect(anna.drops("unknownSource") == batches * size)
    try isUnharmed()
    network.cut(home)
    let begin = network.now
    network.run(seconds: 2)
    let genuine = network.media(to: home, since: begin)
    let received = try #require(anna.statuses(network).first).received
    let ofBert = leastCost(batches: 10, of: genuine.count / 10) { inject(genuine[$0].bytes) }
    let taken = try #require(anna.statuses(network).first).received - received
    // One may have been under way already.
    #expect(taken >= genuine.count / 10 * 10 - 1)
    let ofTesting = costOfBacktraces()
    #expect(
      ofMember - ofTesting < 1.5 * ofBert,
      "\(ofMember) ns, \(ofTesting) of them Testing's, a genuine one \(ofBert) ns")
    #expect(ofNobody < ofBert, "\(ofNobody) ns, a genuine one \(ofBert) ns")
  }
}
