import EventLoop
import Media
import RTP
import TestKit
import Testing

@testable import Intercom

/// What a station sends follows what its peers' reports tell.
@Suite struct StationAdaptationTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private struct Talk {
    let network: VirtualNetwork
    let anna: VirtualNode
    let bert: VirtualNode
  }

  private func talk(
    _ model: LinkModel, seed: UInt64 = 5, adjust: (inout IntercomConfiguration) -> Void = { _ in }
  ) throws -> Talk {
    let network = VirtualNetwork(model: model, seed: seed)
    let anna = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat(), adjust: adjust)
    let bert = try VirtualNode("Bert", at: away, beat: VirtualNode.Beat(), adjust: adjust)
    network.add(anna)
    network.add(bert)
    anna.mic = Tone(hertz: 440).sample
    if anna.station.protection != nil {
      try anna.admit(bert, network)
      try bert.admit(anna, network)
    }
    anna.station.addNamed(away, nowNanoseconds: network.now)
    return Talk(network: network, anna: anna, bert: bert)
  }

  /// Payload and all, kbit/s from Anna to Bert of the last seconds.
  private func kilobits(_ talk: Talk, seconds: Double) -> Double {
    let start = talk.network.now - Int64(seconds * 1e9)
    let octets = talk.network.media(to: away, since: start).reduce(0) { $0 + $1.bytes.count - 20 }
    return Double(octets) * 8 / 1000 / seconds
  }

  static let losses: [(loss: Double, most: Double, delay: Int64)] = [
    (0.05, 80, 2_000_000), (0.1, 85, 2_000_000), (0.2, 100, 2_000_000),
    (0.05, 100, 60_000_000), (0.1, 100, 60_000_000), (0.2, 100, 60_000_000),
  ]

  @Test(arguments: losses)
  func lossIsRepairedWithinTheBitRate(loss: Double, most: Double, delay: Int64) throws {
    var model = LinkModel()
    model.loss = loss
    model.delayNanoseconds = delay
    let talk = try talk(model)
    talk.network.run(seconds: 15)
    let stream = try #require(talk.bert.peer(at: home)?.stream)
    let before = stream.statistics
    talk.network.run(seconds: 30)
    let after = stream.statistics
    let unheard = Double(after.lost + after.late - before.lost - before.late) / 3000
    #expect(
      unheard < loss / 10,
      "\(unheard), \(String(describing: talk.anna.peer(at: away)?.repair?.recipe))")
    #expect(kilobits(talk, seconds: 30) < most)
    #expect(after.playoutDelayNanoseconds < 65_000_000)
  }

  /// Of a narrower way each look whether it has become wider takes a larger share.
  @Test(arguments: [
    (64, 0.01, false), (32, 0.02, false), (24, 0.05, false), (64, 0.01, true), (32, 0.02, true),
  ])
  func overACappedWayTheTalkGoesOnWithoutAQueueAndWithoutOscillation(
    kilobits: Double, mostUnheard: Double, isProtected: Bool
  ) throws {
    var model = LinkModel()
    model.rateKilobits = kilobits
    model.delayNanoseconds = 10_000_000
    let talk = try talk(model) { $0.protectsMedia = isProtected }
    var rates: [VoiceCoding] = []
    for _ in 0..<60 {
      talk.network.run(seconds: 1)
      rates.append(talk.anna.station.coding)
    }
    let stream = try #require(talk.bert.peer(at: home)?.stream)
    let before = stream.statistics
    talk.network.run(seconds: 60)
    let after = stream.statistics
    let unheard = after.lost + after.late - before.lost - before.late
    #expect(Double(unheard) / Double(after.played - before.played) < mostUnheard, "\(rates)")
    #expect(after.playoutDelayNanoseconds < 120_000_000)
    let turns = zip(rates.dropFirst(15), rates.dropFirst(16)).count { $0 != $1 }
    #expect(turns <= 4, "\(rates)")
  }
}
