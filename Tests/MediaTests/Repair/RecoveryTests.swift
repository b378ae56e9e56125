import Media
import RTP
import TestKit
import Testing

/// In-band FEC: a packet that is missing at its turn is decoded from the next one.
@Suite struct RecoveryTests {
  private static let frames = 1920
  private static let forge = forge()

  private static func forge(frames: Int = frames, hasFEC: Bool = true) -> PacketForge {
    var forge = PacketForge()
    (forge.durationFrames, forge.hasFEC) = (frames, hasFEC)
    return forge
  }

  /// What became of 20 packets that came as soon as they were spoken, but for the lost ones.
  private static func heard(
    _ forge: PacketForge = forge, losing lost: Set<Int>, delayMilliseconds: Int64 = 100,
    marked: Set<Int> = [], adjust: (StreamProbe) -> Void = { _ in }
  ) -> StreamProbe {
    let probe = StreamProbe(
      PeerStreamConfiguration(
        playoutDelay: .fixed(nanoseconds: delayMilliseconds * 1_000_000)))
    adjust(probe)
    let packet = Double(forge.durationFrames) / 48
    for index in 0..<20 {
      probe.play(untilMilliseconds: Double(index) * packet)
      guard !lost.contains(index) else { continue }
      let datagram = forge.datagram(index, marker: marked.contains(index))
      probe.receive(datagram, atMilliseconds: Double(index) * packet)
    }
    probe.play(untilMilliseconds: 20 * packet + Double(delayMilliseconds) - 1)
    return probe
  }

  /// received + repaired = played + notices + late + duplicate + discarded + buffered.
  private static func isBalanced(_ statistics: PeerStreamStatistics) -> Bool {
    statistics.received + statistics.repaired
      == statistics.played + statistics.notices + statistics.late + statistics.duplicate
      + statistics.discarded.total + statistics.buffered
  }

  private static func expect(
    _ probe: StreamProbe, recovered: Int, lost: Int, concealedPackets: Int? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let statistics = probe.statistics
    #expect(statistics.recovered == recovered, sourceLocation: location)
    #expect(statistics.repaired == recovered, sourceLocation: location)
    #expect(probe.decoder.recoveredCount == recovered, sourceLocation: location)
    #expect(statistics.lost == lost, sourceLocation: location)
    let concealed = (concealedPackets ?? lost) * statistics.packetFrames
    #expect(statistics.concealedFrames == concealed, sourceLocation: location)
    #expect(isBalanced(statistics), "\(statistics)", sourceLocation: location)
  }

  @Test func `a lost packet is decoded from the next`() {
    let probe = Self.heard(losing: [5, 9])
    Self.expect(probe, recovered: 2, lost: 0)
    #expect(probe.statistics.played == 20)
    let report = probe.stream.takeLossReport()
    #expect(report?.came(5) == false && report?.heard(5) == true)
    #expect(report?.came(6) == true && report?.heard(6) == true)
  }

  @Test func `of two in a row the first is concealed`() {
    let probe = Self.heard(losing: [5, 6])
    Self.expect(probe, recovered: 1, lost: 1)
    let report = probe.stream.takeLossReport()
    #expect(report?.heard(5) == false && report?.heard(6) == true)
  }

  @Test func `before the first packet there is nothing`() {
    Self.expect(Self.heard(losing: [0]), recovered: 0, lost: 0)
  }

  @Test func `the last packet has nobody to tell of it`() {
    let probe = Self.heard(losing: [19])
    #expect(probe.statistics.recovered == 0 && probe.statistics.concealedFrames > 0)
  }

  @Test func `a packet that tells of nothing recovers nothing`() {
    Self.expect(Self.heard(Self.forge(hasFEC: false), losing: [5]), recovered: 0, lost: 1)
  }

  @Test func `the low delay mode has none`() {
    Self.expect(Self.heard(Self.forge(frames: 960), losing: [5]), recovered: 0, lost: 1)
  }

  @Test func `where the decoder cannot it is concealed`() {
    let probe = Self.heard(losing: [5]) { $0.decoder.refusesToRecover = true }
    Self.expect(probe, recovered: 0, lost: 1)
  }

  @Test func `what begins a talk spurt tells of another`() {
    Self.expect(Self.heard(losing: [5], marked: [6]), recovered: 0, lost: 1)
  }

  @Test func `a next packet that is not there yet is not waited for`() {
    let probe = Self.heard(losing: [5], delayMilliseconds: 20)
    #expect(probe.statistics.recovered == 0)
    #expect(probe.statistics.concealedFrames > 0)
  }

  @Test func `who comes after all is a duplicate`() {
    let probe = Self.heard(losing: [5])
    probe.receive(Self.forge.datagram(5), atMilliseconds: 870)
    #expect(probe.statistics.duplicate == 1 && probe.statistics.overtaken == 1)
    #expect(probe.statistics.late == 0 && probe.statistics.lost == 0)
    #expect(Self.isBalanced(probe.statistics))
  }

  @Test func `a packet sent again tells of the one before too`() throws {
    let probe = StreamProbe(
      PeerStreamConfiguration(
        playoutDelay: .fixed(nanoseconds: 200_000_000), playoutDelayMaximumNanoseconds: 300_000_000)
    )
    for index in [0, 1, 2, 3, 4, 7, 8] {
      probe.receive(Self.forge.datagram(index), atMilliseconds: Double(index) * 40)
      probe.play(untilMilliseconds: Double(index) * 40)
    }
    let number = Self.forge.firstSequence.advanced(by: 6).rawValue
    let resent = Self.forge.datagram(
      6, payload: [UInt8(number >> 8), UInt8(number & 255)] + Self.forge.tone(6))
    let packet = try RTPPacket(parsing: unsafe resent.span.bytes)
    probe.stream.receiveResent(
      packet, bytes: unsafe resent.span.bytes, arrivalNanoseconds: 321_000_000)
    probe.play(untilMilliseconds: 559)
    let statistics = probe.statistics
    #expect(statistics.recovered == 1 && statistics.repairedByResending == 1)
    #expect(statistics.repaired == 2 && statistics.lost == 0 && statistics.concealedFrames == 0)
    #expect(Self.isBalanced(statistics))
  }

  private static func settings(loss: Double) -> RepairScenario.Settings {
    var settings = RepairScenario.Settings()
    settings.framesPerPacket = frames
    settings.expectedLossPercent = 7
    settings.link.loss = loss
    settings.link.delayNanoseconds = 3_000_000
    settings.backLink.delayNanoseconds = 3_000_000
    return settings
  }

  @Test(arguments: [0.05, 0.1, 0.2])
  func `what the next tells leaves what both lose`(loss: Double) {
    let scenario = RepairScenario(Self.settings(loss: loss))
    scenario.run(milliseconds: 10_000)
    let before = scenario.stream.statistics
    scenario.run(milliseconds: 200_000)
    let after = scenario.stream.statistics
    let lost = Double(after.lost - before.lost) / 5000
    #expect(abs(lost - loss * loss) < 0.25 * loss * loss + 0.002, "\(lost)")
    #expect(after.recovered - before.recovered > Int(0.7 * loss * 5000))
    #expect(after.playoutDelayNanoseconds > 40_000_000)
    #expect(after.playoutDelayNanoseconds < 65_000_000)
    #expect(Self.isBalanced(after))
    #expect(scenario.greatestStep < 0.02)
  }

  @Test func `without loss the next is not waited for`() {
    let scenario = RepairScenario(Self.settings(loss: 0))
    scenario.run(milliseconds: 20_000)
    #expect(scenario.stream.statistics.recovered == 0)
    #expect(scenario.stream.statistics.playoutDelayNanoseconds < 15_000_000)
  }

  @Test func `what the next tells is not asked for`() {
    var settings = Self.settings(loss: 0.05)
    settings.asks = true
    let scenario = RepairScenario(settings)
    scenario.run(milliseconds: 100_000)
    #expect(scenario.stream.statistics.recovered > 80)
    // Two in a row, 2500 times 0.0025, are.
    #expect(scenario.requestDatagrams < 30)
  }
}
