import Glibc
import Lines
import Measurement
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Talkers are brought to like loudness in one's ear.
@Suite struct TalkerLevelTests {
  private let network = VirtualNetwork()
  private static let speech = ArtificialSpeech.frames(seconds: 7, sampleRate: 48_000, peak: 1)

  /// Anna listens; each of the others says something.
  private func listen(
    to voices: [(Int) -> Float], isOn: Bool = true, sampleRate: Int = 48_000
  ) throws -> (anna: VirtualNode, others: [VirtualNode]) {
    let anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat(sampleRate: sampleRate))
    network.add(anna)
    let others = try voices.enumerated().map { number, voice in
      let other = try VirtualNode(
        "Other\(number)", at: .host(2 + number), beat: VirtualNode.Beat())
      other.mic = voice
      network.add(other)
      return other
    }
    for other in others { try anna.meet(other, network) }
    if isOn { try set(anna, "auto") }
    return (anna, others)
  }

  private func set(_ node: VirtualNode, _ word: String) throws {
    node.station.streams.ear.follow(try EarSettings(["level": word], priorities: [:]))
  }

  private func levels(_ node: VirtualNode) -> [Double?] {
    node.statuses(network).map(\.levellingDecibels)
  }

  private static func voice(_ peak: Float) -> (Int) -> Float {
    { peak * speech[$0 % speech.count] }
  }

  @Test func `who is low is raised, who is loud is lowered, to the same`() throws {
    let (anna, _) = try listen(to: [Self.voice(0.3), Self.voice(0.9)])
    network.run(seconds: 10)
    let found = levels(anna).compactMap { $0 }
    #expect(found.count == 2)
    let (more, less) = (try #require(found.max()), try #require(found.min()))
    // 9.5 dB apart as they were said.
    #expect(abs(more - less - 20 * log10(0.9 / 0.3)) < 2)
    #expect(more > 1 && less < -1)
  }

  @Test func `it is heard, and gone when it is off`() throws {
    let (anna, _) = try listen(to: [Self.voice(0.08)], isOn: false)
    func level() -> Double {
      let tail = anna.heard.suffix(7 * 48_000)
      return 10 * log10(tail.reduce(0) { $0 + Double($1) * Double($1) } / Double(tail.count))
    }
    network.run(seconds: 9)
    let before = level()
    #expect(levels(anna) == [nil])
    try set(anna, "auto")
    network.run(seconds: 12)
    let raised = try #require(levels(anna)[0])
    #expect(raised > 3)
    #expect(abs(level() - before - raised) < 1.5)
    try set(anna, "off")
    network.run(seconds: 9)
    #expect(levels(anna) == [nil])
    #expect(abs(level() - before) < 0.5)
  }

  @Test func `noise alone is not raised`() throws {
    var random = SplitMix64(seed: 9)
    let (anna, _) = try listen(to: [{ _ in Float(0.01 * random.gaussian()) }])
    network.run(seconds: 8)
    #expect(levels(anna) == [0])
  }

  @Test func `another rate of JACK learns anew and keeps the gain until then`() throws {
    let (anna, _) = try listen(to: [Self.voice(0.08)])
    network.run(seconds: 8)
    let before = try #require(levels(anna)[0])
    anna.beat = nil
    network.run(seconds: 0.5)
    anna.beat = VirtualNode.Beat(sampleRate: 44_100)
    network.run(seconds: 8)
    #expect(abs(try #require(levels(anna)[0]) - before) < 2)
  }
}
