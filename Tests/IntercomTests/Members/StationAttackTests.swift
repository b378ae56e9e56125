import Cryptography
import Mesh
import EventLoop
import Media
import RTP
import StatusSchema
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
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    bert.mic = Tone(hertz: 700).sample
    for node in [anna, bert] { network.add(node) }
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    network.run(seconds: 3)
  }

  func inject(_ bytes: [UInt8], from address: SocketAddress? = nil) {
    anna.station.datagramReceived(
      unsafe bytes.span.bytes, from: address ?? away, arrivalNanoseconds: network.now)
  }

  /// Bert's last packets and reports, as captured on the way to Anna.
  func captured() -> [Datagram] {
    let media = network.media(to: home).suffix(20)
    return Array(media) + Array(network.reports(to: home).suffix(2))
  }

  func isUnharmed(for seconds: Double = 3) throws {
    network.run(seconds: seconds)
    let status = try #require(anna.statuses(network).first)
    #expect(status.state == .connected && status.isTalking == true)
    #expect(status.lost == 0 && status.late == 0 && status.concealed == 0)
    #expect(status.duplicate == 0 && status.underrun == 0)
    #expect(anna.station.seen.map(\.address) == [away])
    #expect(Tone(hertz: 700).level(in: anna.heard.suffix(48_000)) > 0.08)
    #expect(anna.events.count { if case .peerLeft = $0 { true } else { false } } == 0)
  }

  @Test func `what came already is a replay from whatever address`() throws {
    let old = captured()
    for address in [away, .host(9)] {
      for datagram in old { inject(datagram.bytes, from: address) }
    }
    try isUnharmed()
    // One was still under way when it came before itself.
    #expect(anna.drops("replayed") == 2 * old.count)
  }

  @Test func `who comes back in the same session is not heard by what was recorded`() throws {
    let old = captured()
    network.cut(home)
    anna.station.roster.expel(bert.node, saidGoodbye: false)
    try anna.admit(bert, network)
    for datagram in old { inject(datagram.bytes) }
    // One was still under way when Bert was expelled.
    #expect(anna.drops("replayed") + anna.drops("tooOld") >= old.count - 1)
  }

  @Test func `a key that was replaced while its member was away expires`() throws {
    anna.station.roster.expel(bert.node, saidGoodbye: false)
    network.cut(home)
    let begin = network.now
    network.run(seconds: 1)
    let unheard = network.media(to: home, since: begin)
    _ = try bert.makeNextKey()
    bert.station.protection.base.useNextKey()
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
      // A header extension in clear: a level (RFC 8285 §4.2).
      packet.replaceSubrange(12..<20, with: [0xBE, 0xDE, 0, 1, 0x10, 0xA1, 0, 0])
      packet[2] = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 0x50 : 0xA0
      var span = packet.mutableSpan
      var bytes = unsafe span.mutableBytes
      byteCount = try sender.protect(&bytes, byteCount: template.count, variant: .first)
    }
    return Array(packet.prefix(byteCount))
  }

  @Test func `who has a key of berts keeps him silent no longer than it is in use`() throws {
    let shared = try SRTPSendingKey(epoch: 1)
    let told = shared.secret.withBytes { secret in
      MediaKey(epoch: 1, ssrc: bert.station.roster.identity.ssrc.rawValue, secret: secret)
    }
    #expect(try bert.makeNextKey().epoch == told.epoch)
    #expect(try anna.install(told, of: bert, network))
    let forged = try forgeAhead(with: SRTPSender(shared))
    let received = try #require(anna.statuses(network).first).received
    inject(forged)
    #expect(try #require(anna.statuses(network).first).received == received + 1)
    network.run(seconds: 1)
    let key = try bert.makeNextKey()
    bert.station.protection.base.useNextKey()
    #expect(try anna.install(key, of: bert, network))
    network.run(seconds: 3)
    #expect(anna.drops("tooOld") == 0)
    #expect(anna.connected(bert) != nil)
    #expect(Tone(hertz: 700).level(in: anna.heard.suffix(48_000)) > 0.08)
  }

  @Test func `what is very old is too old`() throws {
    let old = network.media(to: home)[10].bytes
    inject(old)
    #expect(anna.drops("tooOld") == 1)
    try isUnharmed()
  }
}
