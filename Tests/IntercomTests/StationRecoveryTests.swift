import EventLoop
import Foundation
import Media
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// In-band FEC, where nothing else has room: profile saver with hardly more bits than its voice takes, and a long way.
@Suite struct StationRecoveryTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private struct Call {
    let network: VirtualNetwork
    let anna: VirtualNode
    let bert: VirtualNode
  }

  private func call(
    loss: Double, kilobits: Int = 22, delay: Int64 = 100_000_000, frames: Int = 1920,
    seed: UInt64 = 4
  ) throws -> Call {
    var model = LinkModel()
    (model.loss, model.delayNanoseconds) = (loss, delay)
    let network = VirtualNetwork(model: model, seed: seed)
    let adjust = { (configuration: inout IntercomConfiguration) in
      configuration.take(.saver)
      configuration.mostBitsPerSecond = kilobits * 1000
      configuration.framesPerPacket = frames
    }
    let beat = VirtualNode.Beat(periodFrames: 512)
    let anna = try VirtualNode("Anna", at: home, beat: beat, adjust: adjust)
    let bert = try VirtualNode("Bert", at: away, beat: beat, adjust: adjust)
    network.add(anna)
    network.add(bert)
    anna.mic = Self.syllables
    try anna.meet(bert, network)
    return Call(network: network, anna: anna, bert: bert)
  }

  /// Four a second, of changing pitch: what SILK takes for speech.
  private static func syllables(_ frame: Int) -> Float {
    let time = Double(frame) / 48_000
    let pitch = 120 + 40 * sin(2 * .pi * 0.7 * time)
    let tone = (1...12).reduce(0.0) { $0 + sin(2 * .pi * pitch * Double($1) * time) / Double($1) }
    let envelope = max(0.02, sin(2 * .pi * 2 * time) * sin(2 * .pi * 2 * time))
    return Float(0.1 * tone * envelope)
  }

  @Test(arguments: [0.05, 0.1])
  func `what is lost comes with the next packet`(loss: Double) throws {
    let call = try call(loss: loss)
    call.network.run(seconds: 20)
    #expect(call.anna.station.repair.coding.hasFEC)
    let status = try #require(call.anna.statuses(call.network).first)
    #expect(status.sentCopies == "in-band FEC")
    let stream = try #require(call.bert.peer(at: home)?.stream)
    let before = stream.statistics
    call.network.run(seconds: 60)
    let after = stream.statistics
    let unheard = Double(after.lost + after.late - before.lost - before.late) / 1500
    #expect(unheard < loss / 3, "\(unheard)")
    #expect(after.recovered - before.recovered > Int(1500 * loss * 0.6))
    #expect(after.playoutDelayNanoseconds < 80_000_000)
    #expect(call.anna.station.repair.coding.bitsPerSecond <= 22_000)
    let reason = call.bert.statuses(call.network).first?.qualityReason
    #expect(reason?.contains("repaired by in-band FEC") == true, "\(reason ?? "")")
  }

  /// Copies come a packet later at least, and a packet may last longer than a receiver waits for repairs as a rule.
  @Test(arguments: [960, 1920, 2880])
  func `copies of long packets are waited for`(frames: Int) throws {
    let loss = 0.05
    let call = try call(loss: loss, kilobits: 96, frames: frames)
    call.network.run(seconds: 30)
    let stream = try #require(call.bert.peer(at: home)?.stream)
    let before = stream.statistics
    call.network.run(seconds: 60)
    let after = stream.statistics
    let packets = Double(60 * 48_000 / frames)
    let unheard = Double(after.lost + after.late - before.lost - before.late) / packets
    #expect(unheard < loss / 5, "\(unheard)")
  }

  @Test func `without loss the voice has all its bits`() throws {
    let call = try call(loss: 0)
    call.network.run(seconds: 20)
    #expect(call.anna.station.repair.coding == call.anna.station.configuration.coding)
    #expect(call.bert.peer(at: home)?.stream?.statistics.recovered == 0)
  }

  @Test func `when the loss ends it ends`() throws {
    let call = try call(loss: 0.1)
    call.network.run(seconds: 20)
    #expect(call.anna.station.repair.coding.hasFEC)
    call.network.model.loss = 0
    call.network.run(seconds: 20)
    #expect(call.anna.station.repair.coding == call.anna.station.configuration.coding)
  }

  /// As long as the receiver waits for answers, which in packets of 20 ms it does for a quarter of a minute; until it
  /// is known that they come in time, FEC may be tried.
  @Test(arguments: [(48, Int64(100_000_000), 1920, 30.0), (24, 2_000_000, 960, 12)])
  func `where copies fit or asking helps there is none`(
    kilobits: Int, delay: Int64, frames: Int, seconds: Double
  ) throws {
    var (repaired, recovered) = (0, 0)
    for seed: UInt64 in 4...7 {
      let call = try call(
        loss: 0.05, kilobits: kilobits, delay: delay, frames: frames, seed: seed)
      call.network.run(seconds: seconds)
      #expect(!call.anna.station.repair.coding.hasFEC)
      let stream = try #require(call.bert.peer(at: home)?.stream)
      repaired += stream.statistics.repaired
      recovered += stream.statistics.recovered
    }
    #expect(repaired > 80)
    #expect(recovered * 2 < repaired)
  }
}
