import Foundation
import RTP
import TestKit
import Testing

/// Every parser of network input against mutations of a committed corpus.
///
/// A trap ends the run; what is checked beside it is that all offsets handed out lie inside the
/// bytes.
@Suite struct ParserFuzzTests {
  private static let rounds = Seeds.rounds(100_000)
  private static let runs = FuzzRun.both(fixed: 0x0C01_1147)

  /// The seeds of one folder of the corpus.
  private static func corpus(_ folder: String) throws -> [[UInt8]] {
    try ByteCorpus(folder: Bundle.module.bundleURL.appendingPathComponent("Corpus/\(folder)")).seeds
  }

  /// Changes a few octets, cuts, grows or splices.
  private static func mutate(
    _ corpus: [[UInt8]], with random: inout SplitMix64
  ) -> [UInt8] {
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where !bytes.isEmpty: bytes[index] = .random(in: 0...255, using: &random)
      case 1 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2 where !bytes.isEmpty:
        bytes[index] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
      case 3: bytes.removeSubrange(index...)
      case 4:
        let added = Int.random(in: 1...8, using: &random)
        bytes.insert(
          contentsOf: (0..<added).map { _ in .random(in: 0...255, using: &random) }, at: index)
      default:
        bytes.replaceSubrange(index..., with: corpus.randomElement(using: &random) ?? [])
      }
    }
    return bytes
  }

  private static func isInside(_ range: Range<Int>?, _ bytes: [UInt8]) -> Bool {
    range.map { $0.lowerBound >= 0 && $0.upperBound <= bytes.count } ?? true
  }

  @Test func `the corpus itself is valid`() throws {
    for bytes in try Self.corpus("rtp") { _ = try parse(bytes) }
    for bytes in try Self.corpus("rtcp") { #expect(try parseCompound(bytes).count > 1) }
    for bytes in try Self.corpus("feedback") { #expect(try parseFeedback(bytes).count == 1) }
    for bytes in try Self.corpus("red") {
      #expect(try RedundantPayload(bytes.indices, in: bytes.raw).copyCount > 0)
    }
    for bytes in try Self.corpus("opus") {
      #expect((OpusTOC.frameCount(payload: bytes.raw) ?? 0) > 0, "\(bytes)")
    }
  }

  @Test(arguments: runs)
  func `RTP mutations are parsed or refused`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("rtp")
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    var refused: Set<RTPParseError> = []
    run.rounds(Self.rounds) { round in
      let bytes = Self.mutate(corpus, with: &random)
      do throws(RTPParseError) {
        let packet = try parse(bytes)
        accepted += 1
        if !Self.isInside(packet.payload, bytes) || write(packet.header).isEmpty
          || DatagramKind.classify(bytes.raw) == .unknown
        {
          Issue.record("\(run), round \(round): \(bytes)")
        }
      } catch {
        refused.insert(error)
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 100)
    #expect(refused == [.truncated, .version, .padding, .headerExtension])
  }

  @Test(arguments: runs)
  func `RTCP mutations are parsed or refused`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("rtcp")
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    var refused: Set<RTPParseError> = []
    run.rounds(Self.rounds) { round in
      let bytes = Self.mutate(corpus, with: &random)
      do throws(RTPParseError) {
        let packets = try parseCompound(bytes)
        accepted += 1
        if !packets.allSatisfy({ Self.isSound($0, in: bytes) }) {
          Issue.record("\(run), round \(round): \(bytes)")
        }
      } catch {
        refused.insert(error)
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 100)
    #expect(
      refused == [
        .version, .padding, .compoundLength, .compoundStart, .report, .sourceDescription, .bye,
        .extendedReport, .feedback,
      ])
  }

  @Test(arguments: runs)
  func `mutations of feedback are parsed or refused`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("feedback")
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    run.rounds(Self.rounds) { round in
      let bytes = Self.mutate(corpus, with: &random)
      guard let packets = try? parseFeedback(bytes) else { return }
      accepted += 1
      if !packets.allSatisfy({ Self.isSound($0, in: bytes) }) {
        Issue.record("\(run), round \(round): \(bytes)")
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 100 && accepted < Self.rounds)
  }

  @Test(arguments: runs)
  func `mutations of payloads with copies are parsed or refused`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("red")
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    run.rounds(Self.rounds) { round in
      let bytes = Self.mutate(corpus, with: &random)
      guard let payload = try? RedundantPayload(bytes.indices, in: bytes.raw) else { return }
      accepted += 1
      var (isSound, end) = (Self.isInside(payload.primary, bytes), 0)
      payload.forEachCopy(in: bytes.raw) { copy in
        isSound = isSound && Self.isInside(copy.payload, bytes) && copy.payload.lowerBound >= end
        end = copy.payload.upperBound
      }
      if !isSound || end > payload.primary.lowerBound {
        Issue.record("\(run), round \(round): \(bytes)")
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 100 && accepted < Self.rounds)
  }

  /// Reads all that a packet offers.
  private static func isSound(_ packet: RTCPPacket, in bytes: [UInt8]) -> Bool {
    let span = bytes.raw
    switch packet {
    case .senderReport(let ssrc, _, let blocks), .receiverReport(let ssrc, let blocks):
      _ = blocks.block(on: ssrc, in: span)
      return (0..<blocks.count).allSatisfy { blocks.block(at: $0, in: span) != nil }
    case .sourceDescription(let description):
      let chunk = description.chunk(on: SSRC(rawValue: 0x1111_1111), in: span)
      return isInside(chunk?.canonicalName, bytes) && isInside(chunk?.name, bytes)
    case .bye(let goodbye):
      return isInside(goodbye.reason, bytes)
        && (0..<goodbye.sourceCount).allSatisfy { goodbye.source(at: $0, in: span) != nil }
    case .extendedReport(let report):
      _ = report.echo(to: SSRC(rawValue: 0x2222_2222), in: span)
      return Self.isSound(
        report.lossRuns(.received, of: SSRC(rawValue: 0x2222_2222), in: span), span)
        && Self.isSound(report.lossRuns(.repaired, of: SSRC(rawValue: 0x2222_2222), in: span), span)
    case .genericNACK(let nack):
      var count = 0
      nack.forEachLost(in: span, limit: 100) { _ in count += 1 }
      return (1...100).contains(count)
    case .other(_, let body):
      return isInside(body, bytes)
    }
  }

  private static func isSound(_ runs: LossRuns?, _ span: RawSpan) -> Bool {
    guard let runs else { return true }
    var packets = 0
    runs.forEachRun(in: span) { packets += $1 }
    return packets <= runs.count
  }

  @Test(arguments: runs)
  func `mutations of Opus packets have a length within 120 ms or none`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("opus")
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    run.rounds(Self.rounds) { round in
      let bytes = Self.mutate(corpus, with: &random)
      guard let frames = OpusTOC.frameCount(payload: bytes.raw) else { return }
      accepted += 1
      let recoverable = OpusTOC.recoverableFrameCount(payload: bytes.raw)
      if !(120...OpusTOC.maximumFrameCount).contains(frames) || frames % 120 != 0
        || ![0, 480, 960, 1920, 2880].contains(recoverable)
      {
        Issue.record("\(run), round \(round): \(bytes)")
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 100 && accepted < Self.rounds)
  }
}
