import Cryptography
import Mesh
import EventLoop
import Media
import StatusSchema
import RTP
import Testing

@testable import Intercom

/// Protected media: members hear each other, and nobody else hears or is heard.
@Suite struct StationProtectionTests {
  let network = VirtualNetwork()

  private func node(
    _ name: String, _ number: Int, says hertz: Double? = nil, beat: VirtualNode.Beat? = .init()
  ) throws -> VirtualNode {
    let node = try VirtualNode(name, at: .host(number), beat: beat)
    if let hertz { node.mic = Tone(hertz: hertz).sample }
    network.add(node)
    return node
  }

  private func introduce(_ nodes: [VirtualNode]) throws {
    for node in nodes {
      for other in nodes where other !== node { try node.admit(other, network) }
    }
  }

  @Test func `two members hear each other whole`() throws {
    let (anna, bert) = (try node("Anna", 1, says: 440), try node("Bert", 2, says: 700))
    try introduce([anna, bert])
    #expect(network.run(until: { anna.connected(bert) != nil }, limitSeconds: 1))
    network.run(seconds: 10)
    let expected = 0.25 * 0.6 * 0.5.squareRoot()
    for (node, heard, own) in [(anna, 700.0, 440.0), (bert, 440, 700)] {
      let last = node.heard.suffix(2 * 48_000)
      #expect(abs(Tone(hertz: heard).level(in: last) - expected) < 0.1 * expected)
      #expect(Tone(hertz: own).level(in: last) < 0.01 * expected)
      let status = try #require(node.statuses(network).first)
      #expect(status.received > 900 && status.isTalking == true)
      #expect(status.lost == 0 && status.late == 0 && status.concealed == 0)
      #expect(status.underrun == 0 && status.duplicate == 0)
      #expect(status.roundTripMilliseconds != nil)
      #expect(node.station.drops.byReason.values.allSatisfy { $0 == 0 })
      #expect(node.ports.names.count == 1)
    }
  }

  @Test func `three members hear each other`() throws {
    let tones = [440.0, 700, 1100]
    let nodes = try zip(["Anna", "Bert", "Carl"], tones).enumerated().map {
      try node($1.0, $0 + 1, says: $1.1)
    }
    try introduce(nodes)
    network.run(seconds: 5)
    for (index, node) in nodes.enumerated() {
      let last = node.heard.suffix(48_000)
      for (other, tone) in tones.enumerated() {
        #expect((Tone(hertz: tone).level(in: last) > 0.05) == (other != index))
      }
      #expect(node.statuses(network).allSatisfy { $0.lost == 0 && $0.concealed == 0 })
    }
  }

  @Test func `who has no key hears nothing and is not heard`() throws {
    let (anna, bert) = (try node("Anna", 1, says: 440), try node("Bert", 2, says: 700))
    try introduce([anna, bert])
    // One that has the address, but no key; and one that speaks in clear.
    let eve = try node("Eve", 3, says: 1100)
    eve.station.admit(
      Member(node: anna.node, name: "Anna", addresses: anna.addresses),
      nowNanoseconds: network.now)
    network.add(try ScriptedPeer("Mallory", at: .host(4), to: .host(1), ssrc: 7))
    let impostor = try ScriptedPeer(
      "Bert", at: .host(5), to: .host(1), ssrc: bert.station.roster.identity.ssrc.rawValue)
    impostor.speaksInClear = true
    network.add(impostor)
    network.run(seconds: 4)
    #expect(anna.station.seen.map(\.address) == [.host(2)])
    #expect(anna.drops("unknownSource") > 4)
    #expect(anna.drops("unknownKey") + anna.drops("malformed.srtp") > 2)
    #expect(anna.ports.names.count == 1 && eve.ports.names.isEmpty)
    #expect(eve.heard.allSatisfy { $0 == 0 })
    #expect(network.traffic.allSatisfy { $0.source != .host(1) || $0.destination == .host(2) })
    #expect(Tone(hertz: 1100).level(in: anna.heard.suffix(48_000)) < 0.001)
  }

  @Test func `nothing but headers goes in clear`() throws {
    let (anna, bert) = (try node("Anna", 1, says: 440), try node("Bert", 2))
    try introduce([anna, bert])
    network.run(seconds: 2)
    let receiver = SRTPReceiver()
    try receiver.add(anna.ownKey)
    let packets = network.media(to: .host(2))
    #expect(packets.count > 50)
    for datagram in packets {
      var plain = [UInt8](repeating: 0, count: datagram.bytes.count)
      var span = plain.mutableSpan
      var room = unsafe span.mutableBytes
      let byteCount = try unsafe receiver.unprotect(datagram.bytes.span.bytes, into: &room)
      let packet = try unsafe RTPPacket(parsing: plain.span.bytes.extracting(0..<byteCount))
      #expect(packet.header.ssrc == anna.station.roster.identity.ssrc)
      #expect(byteCount + 20 == datagram.bytes.count)
      let payload = packet.payload
      #expect(Array(plain[..<12]) == Array(datagram.bytes[..<12]))
      guard payload.count > 3 else { continue }
      #expect(Array(plain[payload]) != Array(datagram.bytes[payload]))
    }
    let name = Array("Anna".utf8)
    for report in network.reports(to: .host(2)) {
      let hasName = report.bytes.indices.dropLast(name.count).contains {
        Array(report.bytes[$0..<($0 + name.count)]) == name
      }
      #expect(!hasName)
    }
  }

  @Test(arguments: 0..<200)
  func `no octets of a key trap`(length: Int) throws {
    let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 1) }
    let told = MediaKey(stream: 0, ssrc: 5, epoch: .max, octets: octets)
    if length == SRTPSessionKey.byteCount {
      let key = try ReceivedKey(told)
      #expect(key.identity.ssrc == 5 && key.identity.epoch == .max)
    } else {
      #expect(throws: CryptoError.self) { _ = try ReceivedKey(told) }
    }
  }
}
