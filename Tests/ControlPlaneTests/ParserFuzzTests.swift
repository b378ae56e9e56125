import Cryptography
import Foundation
import TestKit
import Testing

@testable import ControlPlane

/// What strangers' octets reach before anything is proved: certificates and pairing frames; a trap ends the run.
@Suite struct ParserFuzzTests {
  private static let rounds = Seeds.rounds(50_000)
  private static let longestFrame = 512

  private static func corpus(_ folder: String) throws -> ByteCorpus {
    try ByteCorpus(folder: Bundle.module.bundleURL.appendingPathComponent("Corpus/\(folder)"))
  }

  @Test func `of the committed certificates those of Ed25519 have a key`() throws {
    let corpus = try Self.corpus("certificates")
    let keys = corpus.seeds.compactMap { NodeCertificate.key(in: $0)?.bytes }
    #expect(corpus.seeds.count == 8)
    #expect(keys.count == 3 && Set(keys).count == 1, "own, openssl's, and one without a version")
  }

  @Test(arguments: FuzzRun.both(fixed: 0x0C01_1A01))
  func `a changed certificate gives a key that stands in it, or none`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("certificates")
    var random = SplitMix64(seed: run.seed)
    var (accepted, refused) = (0, 0)
    run.rounds(Self.rounds) { round in
      let octets = corpus.mutation(&random)
      guard let key = NodeCertificate.key(in: octets)?.bytes else {
        refused += 1
        return
      }
      accepted += 1
      let isInside = octets.indices.contains {
        octets[$0] == key[0] && octets[$0...].starts(with: key)
      }
      #expect(key.count == 32 && isInside, "\(run), round \(round): \(octets)")
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 50 && refused > Self.rounds / 5)
  }

  /// The frames of a stream that comes in parts, and whether it ended in an error.
  private static func cut(
    _ stream: [UInt8], parts: () -> Int
  ) -> (frames: [[UInt8]], isRefused: Bool) {
    var cutter = PairingFrames(maximumBytes: longestFrame)
    var frames: [[UInt8]] = []
    var start = 0
    do throws(ControlPlaneError) {
      while start < stream.count {
        let end = min(start + parts(), stream.count)
        try cutter.append(stream[start..<end])
        while let frame = try cutter.next() { frames.append(frame) }
        start = end
      }
      return (frames, false)
    } catch {
      return (frames, true)
    }
  }

  @Test func `the committed pairing streams are cut, or refused, as they say`() throws {
    let outcomes = try Self.corpus("pairing").seeds.map { Self.cut($0) { 7 } }
    // cut, empty, huge, longest, refused, shown, typed: in order of their names.
    #expect(outcomes.map(\.frames.count) == [0, 1, 0, 1, 1, 3, 3])
    #expect(outcomes.map(\.isRefused) == [false, true, true, false, false, false, false])
  }

  @Test(arguments: FuzzRun.both(fixed: 0x0C01_1A02))
  func `changed pairing streams give the same frames however they are cut`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus("pairing")
    var random = SplitMix64(seed: run.seed)
    var (framesInAll, refused) = (0, 0)
    run.rounds(Self.rounds) { round in
      let stream = corpus.mutation(&random)
      let whole = Self.cut(stream) { stream.count }
      let parts = Self.cut(stream) { Int.random(in: 1...64, using: &random) }
      let isSame = whole.frames == parts.frames && whole.isRefused == parts.isRefused
      #expect(isSame, "\(run), round \(round): \(stream)")
      #expect(whole.frames.allSatisfy { (1...Self.longestFrame).contains($0.count) })
      #expect(whole.frames.reduce(0) { $0 + 4 + $1.count } <= stream.count)
      framesInAll += whole.frames.count
      refused += whole.isRefused ? 1 : 0
    }
    guard run.isFixed else { return }
    #expect(framesInAll > Self.rounds / 5 && refused > Self.rounds / 10)
  }
}
