import Cryptography
import Foundation
import TestKit
import Testing

@testable import Discovery

/// The parser of TXT data against mutations of a committed corpus and random octets; a trap ends the run.
@Suite struct ServiceTextFuzzTests {
  private static let rounds = Seeds.rounds(20_000)
  private static let runs = FuzzRun.both(fixed: 0xD15C_0E27)

  /// A file each, in order of their names, hexadecimal, `#` starts a comment.
  private static func corpus() throws -> [[UInt8]] {
    let directory = Bundle.module.bundleURL.appendingPathComponent("Corpus")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    return try names.map { name in
      let file = directory.appendingPathComponent(name)
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      let digits = Array(lines.filter { !$0.hasPrefix("#") }.joined())
      return stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
    }
  }

  private static func mutate(_ corpus: [[UInt8]], with random: inout SplitMix64) -> [UInt8] {
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let index = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where !bytes.isEmpty: bytes[index] = .random(in: 0...255, using: &random)
      case 1 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.removeSubrange(index...)
      case 3:
        let added = Int.random(in: 1...300, using: &random)
        bytes.insert(
          contentsOf: (0..<added).map { _ in .random(in: 0...255, using: &random) }, at: index)
      default: bytes.replaceSubrange(index..., with: corpus.randomElement(using: &random) ?? [])
      }
    }
    return bytes
  }

  private static func isSound(_ text: ServiceText) throws -> Bool {
    let isShowable = text.name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    guard try ServiceText(parsing: text.octets) == text else { return false }
    return text.name.utf8.count <= 63 && !text.name.isEmpty && isShowable
      && text.softwareVersion.utf8.count <= 31 && text.hints.count <= 16
      && text.octets.count <= 416
  }

  @Test func `the corpus itself is a node's`() throws {
    let corpus = try Self.corpus()
    #expect(corpus.count >= 10)
    for octets in corpus { #expect(try Self.isSound(ServiceText(parsing: octets))) }
  }

  @Test(arguments: runs)
  func `mutations and random octets are read or refused`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus()
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    var refused: Set<ServiceText.Refusal> = []
    run.rounds(Self.rounds) { round in
      let isRandom = round % 10 == 0
      let octets =
        isRandom
        ? (0..<Int.random(in: 0...1500, using: &random)).map { _ in
          .random(in: 0...255, using: &random)
        }
        : Self.mutate(corpus, with: &random)
      do throws(ServiceText.Refusal) {
        let text = try ServiceText(parsing: octets)
        accepted += 1
        if (try? Self.isSound(text)) != true {
          Issue.record("\(run), round \(round): \(octets)")
        }
      } catch {
        refused.insert(error)
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 20)
    #expect(refused.isSuperset(of: [.oversized, .malformed, .nameless]))
  }
}
