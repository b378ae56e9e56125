import EventLoop
import Media
import RTP
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Loss repair between two stations: copies, requests and answers.
@Suite struct StationRepairTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func talk(
    loss: Double, recipe: RepairRecipe = .plain, delay: Int64 = 2_000_000, seconds: Double = 20
  ) throws -> (network: VirtualNetwork, anna: VirtualNode, bert: VirtualNode) {
    var model = LinkModel()
    model.loss = loss
    model.delayNanoseconds = delay
    let network = VirtualNetwork(model: model, seed: 5)
    let beat = VirtualNode.Beat()
    let anna = try VirtualNode("Anna", at: home, beat: beat) { $0.fixedRecipe = recipe }
    let bert = try VirtualNode("Bert", at: away, beat: beat) { $0.fixedRecipe = recipe }
    network.add(anna)
    network.add(bert)
    anna.mic = Tone(hertz: 440).sample
    try anna.meet(bert, network)
    network.run(seconds: seconds)
    return (network, anna, bert)
  }

  private func heard(_ node: VirtualNode, from address: SocketAddress) throws
    -> PeerStreamStatistics
  {
    try #require(node.peer(at: address)?.stream).statistics
  }

  @Test func `over a short way what is lost is asked for and comes`() throws {
    let (network, anna, bert) = try talk(loss: 0.05)
    let statistics = try heard(bert, from: home)
    #expect(statistics.repairedByResending > 50)
    #expect(statistics.lost < statistics.received / 100, "\(statistics)")
    #expect(anna.station.capture.counters.resentPackets >= statistics.repairedByResending)
    #expect(network.media(to: away).contains { $0.bytes[1] & 0x7F == 113 })
    #expect(
      network.reports(to: home).contains {
        $0.bytes[1] == 205 && $0.bytes.count <= 44 + MediaProtection.reportOverhead
      })
    // What never came itself is lost for the status, whatever became of it.
    let status = try #require(bert.statuses(network).first)
    #expect(abs(status.lossPercent - 5) < 2)
  }

  @Test func `copies come with the others packets`() throws {
    let recipe = RepairRecipe(copies: .lean, nearDistance: 1, farDistance: 3)
    let (network, anna, bert) = try talk(loss: 0.2, recipe: recipe, delay: 100_000_000, seconds: 5)
    // Until the playout waits for copies, which takes the first second or so, it loses what it loses.
    let start = try heard(bert, from: home)
    network.run(seconds: 20)
    let statistics = try heard(bert, from: home)
    #expect(statistics.repaired > 200 && statistics.repairedByResending == 0)
    let (lost, received) = (statistics.lost - start.lost, statistics.received - start.received)
    #expect(lost < received / 50, "\(statistics)")
    #expect(statistics.decoderErrors == 0)
    #expect(network.media(to: away).allSatisfy { $0.bytes[1] & 0x7F == 112 })
    #expect(network.media(to: away).allSatisfy { $0.bytes.count < 1200 })
    // The sender reports all it sent, copies included.
    let octets = try #require(anna.peer(at: away)).sentOctets
    #expect(octets > anna.station.capture.counters.payloadOctets * 5 / 4)
  }

  @Test func `the same frame goes to each peer as it needs it`() throws {
    let network = VirtualNetwork()
    let beat = VirtualNode.Beat()
    let anna = try VirtualNode("Anna", at: home, beat: beat) { $0.fixedRecipe = .plain }
    let others = try (2...7).map { try VirtualNode("Peer \($0)", at: .host($0), beat: beat) }
    network.add(anna)
    anna.mic = Tone(hertz: 440).sample
    for other in others {
      network.add(other)
      try anna.meet(other, network)
    }
    network.run(seconds: 3)
    let distances = [0, 1, 1, 2, 3, 4]
    for (other, distance) in zip(others, distances) {
      anna.peer(at: other.addresses[0])?.repair?.fix(RepairRecipe(nearDistance: distance))
    }
    anna.station.repair.regroup(anna.station.roster.connected)
    #expect(anna.station.repair.recipes.count == RepairDesk.mostRecipes)
    let start = network.now + 1
    network.run(seconds: 2)
    let types = others.map { other in
      Set(network.media(to: other.addresses[0], since: start).map { $0.bytes[1] & 0x7F })
    }
    #expect(types == [[111], [112], [112], [112], [112], [112]])
    for other in others {
      #expect(try heard(other, from: home).played > 300)
      #expect(network.media(to: other.addresses[0], since: start).count > 190)
    }
  }

  /// The bit rate is chosen for all: who needs nothing has no say in what another one needs.
  @Test func `a peer at rest does not take back what another needs`() throws {
    let network = VirtualNetwork()
    let anna = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat())
    network.add(anna)
    let others = try (2...3).map { try VirtualNode("Peer \($0)", at: .host($0), beat: .init()) }
    for other in others {
      network.add(other)
      try anna.meet(other, network)
    }
    network.run(seconds: 4)
    let station = anna.station
    let peers = try others.map { try #require(anna.peer(at: $0.addresses[0])) }
    let wanted = VoiceCoding(framesPerPacket: 960, bitsPerSecond: 24_000)
    var now = network.now
    for isNeeded in [true, false] {
      peers[0].repair?.fix(isNeeded ? RepairRecipe(nearDistance: 1) : .plain)
      #expect(peers[0].repair?.isAtRest == !isNeeded)
      station.repair.wantedCoding = wanted
      now += 1_000_000_000
      station.repair.followLosses(
        of: peers[1].session, among: station.roster.connected, nowNanoseconds: now)
      #expect(station.repair.wantedCoding == (isNeeded ? wanted : nil))
    }
  }

  @Test func `requests of strangers are not answered`() throws {
    let (network, anna, bert) = try talk(loss: 0, seconds: 4)
    let bertsSSRC = bert.station.roster.identity.ssrc
    for turn in 0..<50 {
      // Even with the SSRC of a peer.
      let stranger = try ScriptedPeer(
        "Eve", at: .host(9), to: home, ssrc: turn % 2 == 0 ? bertsSSRC.rawValue : 0xE5E)
      stranger.speaks = false
      network.add(stranger)
      let ssrc = turn % 2 == 0 ? bertsSSRC : SSRC(rawValue: 0xE5E)
      stranger.say { bytes in
        let numbers = (0..<17).map {
          SequenceNumber(rawValue: UInt16(truncatingIfNeeded: $0))
        }
        var writer = RTCPCompoundWriter()
        writer.genericNACK(
          from: ssrc, of: anna.station.roster.identity.ssrc, lost: numbers.span, into: &bytes)
        return writer.byteCount
      }
      network.run(seconds: 0.02)
      network.remove(stranger)
    }
    #expect(anna.station.capture.counters.resentPackets == 0)
    #expect(network.reports(to: .host(9)).isEmpty && network.media(to: .host(9)).isEmpty)
    #expect(anna.peer(at: .host(9)) == nil)
    let refused = anna.drops("notAuthentic") + anna.drops("replayed") + anna.drops("tooOld")
    #expect(anna.drops("unknownSource") == 25 && refused == 25)
  }
}
