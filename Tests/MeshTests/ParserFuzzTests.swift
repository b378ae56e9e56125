import Foundation
import Mesh
import TestKit
import Testing

/// The parser of control messages against mutations of a committed corpus.
///
/// A trap ends the run; what is checked beside it is that all that was read keeps its limits, and can be
/// written and read again.
@Suite struct ParserFuzzTests {
  private static let rounds = Seeds.rounds(20_000, shortenedBy: 2)
  private static let runs = FuzzRun.both(fixed: 0x0C01_1148)

  /// The seeds: messages without the prefix.
  private static func corpus() throws -> [[UInt8]] {
    try ByteCorpus(folder: Bundle.module.bundleURL.appendingPathComponent("Corpus")).seeds
  }

  /// Changes a few octets, cuts, grows or splices.
  private static func mutate(_ corpus: [[UInt8]], with random: inout SplitMix64) -> [UInt8] {
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let index = bytes.isEmpty ? 0 : Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where !bytes.isEmpty: bytes[index] = .random(in: 0...255, using: &random)
      case 1 where !bytes.isEmpty: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2 where !bytes.isEmpty:
        bytes[index] = [0, 1, 63, 64, 127, 128, 192, 255].randomElement(using: &random) ?? 0
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

  /// Whether what was read keeps its limits.
  private static func isSound(_ message: Message) -> Bool {
    switch message {
    case .hello(let hello):
      let profile = hello.profile
      return profile.controlAddresses.count <= NodeProfile.maximumAddresses
        && profile.mediaAddresses.count <= NodeProfile.maximumAddresses
        && hello.version.major == 2 && hello.instance < 1 << 62
        && (profile.colourRGB ?? 0) < 1 << 24
        // Each octet that is no UTF-8 becomes a character of three.
        && profile.name.utf8.count <= 3 * NodeProfile.maximumTextBytes
    case .heartbeat(let heartbeat):
      return heartbeat.members.count <= Heartbeat.maximumMembers && heartbeat.memberCount >= 0
    case .mediaKey(let key):
      return (0..<MediaKey.maximumStreams).contains(key.stream)
        && (0..<MediaKey.maximumSources).contains(key.source)
        && key.audience.octets.count <= StreamAudience.maximumBytes
        && key.octets.count <= MediaKey.maximumBytes
    case .streamEnd(let end): return (0..<MediaKey.maximumStreams).contains(end.stream)
    case .challenge(let challenge): return challenge.nonce.count == Challenge.nonceBytes
    case .groupProof(let proof):
      return proof.codes.count <= GroupProof.maximumCodes
        && proof.codes.allSatisfy { $0.count == GroupProof.codeBytes }
    case .forgotten(let forgotten):
      return forgotten.nodes.count <= ForgottenNodes.maximumNodes
    case .decline(let decline): return (decline.latestInstance ?? 0) < 1 << 62
    case .twin(let twin): return twin.instance < 1 << 62
    case .invite, .accept, .goodbye, .lane, .unknown: return true
    }
  }

  @Test func `the corpus itself is valid`() throws {
    let corpus = try Self.corpus()
    #expect(corpus.count >= 10)
    for bytes in corpus {
      if case .unknown = try Message(parsing: bytes) { Issue.record("unknown: \(bytes)") }
    }
  }

  @Test(arguments: runs)
  func `mutations are parsed or refused`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus()
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    var refused: Set<Int> = []
    run.rounds(Self.rounds) { round in
      let bytes = Self.mutate(corpus, with: &random)
      do throws(MeshError) {
        let message = try Message(parsing: bytes)
        accepted += 1
        guard Self.isSound(message) else {
          Issue.record("\(run), round \(round): \(bytes)")
          return
        }
        // Once written, nothing is lost any more.
        let written = Array(message.frame().dropFirst(4))
        guard !written.isEmpty else { return }
        let read = try Message(parsing: written)
        if try Message(parsing: Array(read.frame().dropFirst(4))) != read {
          Issue.record("\(run), round \(round): \(bytes)")
        }
      } catch {
        switch error {
        case .truncated: refused.insert(0)
        case .malformed: refused.insert(1)
        case .version: refused.insert(2)
        case .oversized, .slow: Issue.record("\(run), round \(round): \(error)")
        }
      }
    }
    guard run.isFixed else { return }
    #expect(accepted > Self.rounds / 20)
    #expect(refused == [0, 1, 2])
  }

  @Test(arguments: runs)
  func `streams of mutations end in messages or an error, and hold no more than they must`(
    _ run: FuzzRun
  ) throws {
    let corpus = try Self.corpus()
    var random = SplitMix64(seed: run.seed)
    var (whole, failed) = (0, 0)
    run.rounds(Self.rounds / 20) { round in
      var stream: [UInt8] = []
      for _ in 0..<5 {
        let bytes = Self.mutate(corpus, with: &random)
        let isLying = random.chance(0.1)
        let count = isLying ? UInt32.random(in: 0 ... .max, using: &random) : UInt32(bytes.count)
        stream += (0..<4).reversed().map { UInt8(count >> (8 * UInt32($0)) & 0xFF) } + bytes
      }
      var decoder = MessageDecoder()
      do throws(MeshError) {
        try decoder.receive(stream, nowNanoseconds: 0) { _ in
          whole += 1
          return true
        }
      } catch {
        failed += 1
      }
      if decoder.heldBytes > stream.count {
        Issue.record("\(run), round \(round): \(decoder.heldBytes) held")
      }
    }
    guard run.isFixed else { return }
    #expect(whole > Self.rounds / 200 && failed > Self.rounds / 200)
  }
}
