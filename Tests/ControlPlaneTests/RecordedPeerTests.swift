import Foundation
import Mesh
import Testing

@testable import ControlPlane

/// What peers of other versions say, over a connection of today.
@Suite struct RecordedPeerTests {
  /// The messages of a recording of MeshTests.
  private static func recording(_ name: String) throws -> [[UInt8]] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../MeshTests/Recorded/\(name).hex")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { line in
        let digits = Array(line)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
          UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
      }
  }

  @Test(arguments: [("1.0", "1.0"), ("1.2", "1.2"), ("1.1-session", "1.1"), ("1.1-invites", "1.1")])
  func `a recorded peer of major version 1 is told so before it is cut`(
    name: String, version: String
  ) async throws {
    let hello = try #require(try Self.recording(name).first { $0.first == 1 })
    let station = try Station()
    try await withStations(station) {
      let stranger = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      stranger.proveNothing()
      stranger.send([0, 0, 0, UInt8(hello.count)] + hello)
      try await station.recorder.fault(.malformed)
      var words: [String] = []
      for await message in stranger.messages() {
        if case .decline(let decline) = message { words.append(decline.words) }
      }
      #expect(words == ["you speak protocol \(version), this node 2.3: update the older"])
    }
  }

  @Test(arguments: ["2.0", "2.9"])
  func `each message of a recorded peer comes out of a connection as it is read`(name: String)
    async throws
  {
    // Of proofs the connections take care themselves: there is one at the start, and no second one.
    let recording = try Self.recording(name).filter { octets in
      switch try Message(parsing: octets) {
      case .challenge, .groupProof: false
      default: true
      }
    }
    let station = try Station()
    try await withStations(station) {
      let stranger = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      stranger.proveNothing()
      _ = try await station.recorder.accepted()
      for octets in recording {
        let prefix = (0..<4).map { UInt8(truncatingIfNeeded: octets.count >> (24 - 8 * $0)) }
        stranger.send(prefix + octets)
      }
      for octets in recording {
        #expect(try await station.recorder.message() == Message(parsing: octets))
      }
      stranger.close()
    }
  }
}
