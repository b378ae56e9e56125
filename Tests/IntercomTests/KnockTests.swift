import Cryptography
import Foundation
import RTP
import TestKit
import Testing

@testable import Intercom

@Suite struct KnockTests {
  private static func corpus() throws -> ByteCorpus {
    try ByteCorpus(folder: Bundle.module.bundleURL.appendingPathComponent("Corpus"))
  }

  private static func read(_ octets: [UInt8]) -> NodeID? {
    unsafe Knock.node(of: octets.span.bytes)
  }

  private static func written(_ node: NodeID, room: Int) -> [UInt8] {
    var packet = [UInt8](repeating: 0, count: room)
    var span = packet.mutableSpan
    var bytes = unsafe span.mutableBytes
    let count = Knock.write(node, into: &bytes)
    return Array(packet.prefix(count))
  }

  @Test func `a knock is read as it was written, where there is room for it`() throws {
    let node = try #require(NodeID(octets: (0..<32).map { 200 - $0 }))
    #expect(Self.read(Self.written(node, room: 1200)) == node)
    #expect(Self.written(node, room: Knock.byteCount - 1).isEmpty)
  }

  @Test func `of the committed datagrams one is a knock, and it is no RTP`() throws {
    let knocks = try Self.corpus().seeds.filter { Self.read($0) != nil }
    #expect(knocks.count == 1)
    #expect(knocks.allSatisfy { $0[0] >> 6 == 1 }, "RTP and RTCP begin with the bits 10")
  }

  @Test(arguments: FuzzRun.both(fixed: 0x0C01_1A03))
  func `a changed datagram is no knock, or one of the ID in it`(_ run: FuzzRun) throws {
    let corpus = try Self.corpus()
    var random = SplitMix64(seed: run.seed)
    var accepted = 0
    run.rounds(50_000) { round in
      let octets = corpus.mutation(&random)
      guard let node = Self.read(octets) else { return }
      accepted += 1
      #expect(
        octets.count == Knock.byteCount && octets.starts(with: Array("CKN1".utf8))
          && node.octets == Array(octets.dropFirst(4)), "\(run), round \(round)")
    }
    guard run.isFixed else { return }
    #expect(accepted > 1000)
  }
}
