import Cryptography
import EventLoop
import Media
import RTP
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom

/// Datagrams that are not what they say: each costs a counter, and nothing else.
@Suite struct StationAttackTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)
  let anna: VirtualNode
  let bert: VirtualNode

  init() throws {
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat()) {
      $0.protectsMedia = true
    }
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat()) {
      $0.protectsMedia = true
    }
    bert.mic = Tone(hertz: 700).sample
    for node in [anna, bert] { network.add(node) }
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    network.run(seconds: 3)
  }

  private func inject(_ bytes: [UInt8], from address: SocketAddress? = nil) {
    anna.station.datagramReceived(
      unsafe bytes.span.bytes, from: address ?? away, arrivalNanoseconds: network.now)
  }

  /// Bert's last packets and reports, as captured on the way to Anna.
  private func captured() -> [Datagram] {
    let media = network.media(to: home).suffix(20)
    return Array(media) + Array(network.reports(to: home).suffix(2))
  }

  private func isUnharmed(for seconds: Double = 3) throws {
    network.run(seconds: seconds)
    let status = try #require(anna.statuses(network).first)
    #expect(status.state == .connected && status.isTalking == true)
    #expect(status.lost == 0 && status.late == 0 && status.concealed == 0)
    #expect(status.duplicate == 0 && status.underrun == 0)
    #expect(anna.station.peers.all.map(\.address) == [away])
    #expect(Tone(hertz: 700).level(in: anna.heard.suffix(48_000)) > 0.08)
    #expect(anna.events.count { if case .peerLeft = $0 { true } else { false } } == 0)
  }

  @Test func whatCameAlreadyIsAReplayFromWhateverAddress() throws {
    let old = captured()
    for address in [away, .host(9)] {
      for datagram in old { inject(datagram.bytes, from: address) }
    }
    try isUnharmed()
    // One was still under way when it came before itself.
    #expect(anna.drops("replayed") == 2 * old.count)
  }

  @Test func whoComesBackInTheSameSessionIsNotHeardByWhatWasRecorded() throws {
    let old = captured()
    network.cut(home)
    anna.station.expel(bert.node)
    try anna.admit(bert, network)
    for datagram in old { inject(datagram.bytes) }
    // One was still under way when Bert was expelled.
    #expect(anna.drops("replayed") + anna.drops("tooOld") >= old.count - 1)
  }

  @Test func aKeyThatWasReplacedWhileItsMemberWasAwayExpires() throws {
    anna.station.expel(bert.node)
    network.cut(home)
    let begin = network.now
    network.run(seconds: 1)
    let unheard = network.media(to: home, since: begin)
    #expect(try bert.makeNextKey() != nil)
    bert.station.protection?.useNextKey()
    network.mend(home)
    try anna.admit(bert, network)
    network.run(seconds: 6)
    let before = anna.drops("unknownKey")
    for datagram in unheard { inject(datagram.bytes) }
    #expect(unheard.count > 50 && anna.drops("unknownKey") == before + unheard.count)
    #expect(anna.connected(bert) != nil)
    #expect(Tone(hertz: 700).level(in: anna.heard.suffix(48_000)) > 0.08)
  }

  /// Packets of Bert's that another makes, who has one of his keys, up to a number that is far ahead.
  private func forgeAhead(with sender: SRTPSender) throws -> [UInt8] {
    let template = try #require(network.media(to: home).last).bytes.prefix(40)
    var packet = Array(template) + [UInt8](repeating: 0, count: SRTPSender.overheadByteCount)
    var byteCount = 0
    for turn in 0..<100 {
      packet.replaceSubrange(..<template.count, with: template)
      packet[2] = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 0x50 : 0xA0
      var span = packet.mutableSpan
      var bytes = unsafe span.mutableBytes
      byteCount = try sender.protect(&bytes, byteCount: template.count, variant: .first)
    }
    return Array(packet.prefix(byteCount))
  }

  @Test func whoHasAKeyOfBertsKeepsHimSilentNoLongerThanItIsInUse() throws {
    let shared = try SRTPSendingKey(epoch: 1)
    let told = shared.secret.withBytes { secret in
      OwnKey(epoch: 1, ssrc: bert.station.identity.ssrc.rawValue, secret: secret)
    }
    #expect(try bert.makeNextKey()?.epoch == told.epoch)
    #expect(try anna.install(told, of: bert, network))
    let forged = try forgeAhead(with: SRTPSender(shared))
    let received = try #require(anna.statuses(network).first).received
    inject(forged)
    #expect(try #require(anna.statuses(network).first).received == received + 1)
    network.run(seconds: 1)
    let key = try bert.makeNextKey()
    bert.station.protection?.useNextKey()
    #expect(try anna.install(key, of: bert, network))
    network.run(seconds: 3)
    #expect(anna.drops("tooOld") == 0)
    #expect(anna.connected(bert) != nil)
    #expect(Tone(hertz: 700).level(in: anna.heard.suffix(48_000)) > 0.08)
  }

  private func knock(of node: NodeID) -> [UInt8] {
    var knock = [UInt8](repeating: 0, count: Knock.byteCount)
    var span = knock.mutableSpan
    var raw = unsafe span.mutableBytes
    #expect(Knock.write(node, into: &raw) == Knock.byteCount)
    return knock
  }

  @Test func aFloodOfKnocksIsPassedOnSomeASecondAndHidesNobodysWhoIsKnown() throws {
    let heard = Mutex<[NodeID]>([])
    anna.station.knockHeard = { node in heard.withLock { $0.append(node) } }
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

  @Test func whatIsVeryOldIsTooOld() throws {
    let old = network.media(to: home)[10].bytes
    inject(old)
    #expect(anna.drops("tooOld") == 1)
    try isUnharmed()
  }

  @Test func aBitFlippedAnywhereCostsACounter() throws {
    // Kept from Anna until all else has been tried.
    network.cut(home)
    let begin = network.now
    let isSent = network.run(
      until: { !network.reports(to: home, since: begin).isEmpty }, limitSeconds: 1.3)
    try #require(isSent)
    network.mend(home)
    let kept = [
      try #require(network.media(to: home).last), try #require(network.reports(to: home).last),
    ]
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

  @Test func whatIsCutShortCostsACounter() throws {
    // Kept from Anna, or it would be the replay that is refused.
    network.cut(home)
    let begin = network.now
    let isSent = network.run(
      until: { !network.reports(to: home, since: begin).isEmpty }, limitSeconds: 1.3)
    try #require(isSent)
    network.mend(home)
    var count = anna.station.drops.byReason.values.reduce(0, +)
    for datagram in [
      try #require(network.media(to: home).last), try #require(network.reports(to: home).last),
    ] {
      for length in datagram.bytes.indices { inject(Array(datagram.bytes[..<length])) }
      inject(datagram.bytes + [0])
      count += datagram.bytes.count + 1
    }
    #expect(anna.station.drops.byReason.values.reduce(0, +) == count)
    #expect(anna.drops("replayed") == 0)
  }

  @Test func anEpochThatIsNotThereIsUnknown() throws {
    for datagram in captured() {
      var other = datagram.bytes
      other[other.count - 4] = 9
      inject(other)
    }
    #expect(anna.drops("unknownKey") == captured().count)
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

  /// What Testing takes for itself of each forgery: a backtrace of every error that is thrown, which is nothing of the station's.
  private func costOfBacktraces() -> Double {
    @inline(never) func check() throws(CryptoError) { throw .datagram(.notAuthentic) }
    @inline(never) func checkAndCount() throws(CryptoError) {
      do throws(CryptoError) { try check() } catch { throw error }
    }
    return leastCost(batches: 20, of: 100) { _ in try? checkAndCount() }
  }

  /// Forged packets of Bert's SSRC, and of nobody's: neither costs more than a genuine one, which is decrypted and kept too.
  @Test func aFloodOfForgeriesTakesTimeAndNothingElse() throws {
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

  @Test(arguments: Seeds.first(20))
  func nothingThatComesTrapsOrHarms(seed: UInt64) throws {
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
    #expect(anna.station.peers.all.map(\.address) == [away], "seed \(seed)")
    #expect(anna.connected(bert) != nil, "seed \(seed)")
    try isUnharmed(for: 1)
  }
}
