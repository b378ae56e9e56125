import Audio
import TestKit
import Testing

@testable import Intercom

/// Whether anybody hears that a node records: what it plays, and what it sends, is the same to the bit.
@Suite struct RecordingDisturbanceTests {
  /// Who reads the tapes, and how often.
  enum Reader: CaseIterable {
    /// A disk as it should be.
    case quick
    /// A disk that stands still for longer than a tape lasts, again and again.
    case slow
    /// A disk that does not answer any more.
    case stuck
    /// A disk that is full: the recording ends by itself, and another one begins and ends at once, again and again.
    case full

    /// Tenths of seconds from one reading to the next; nil: there is none.
    fileprivate var tenths: Int? {
      switch self {
      case .quick, .full: 1
      case .slow: 70
      case .stuck: nil
      }
    }
  }

  /// What of three nodes' talk can be heard, and what went over the network.
  private struct Talk: Equatable, Sendable {
    var heard: [[Float]]
    var sent: [[UInt8]]
  }

  private static let undisturbed = Result { try talk { _, _ in } }

  /// Fifteen seconds of talk over a network that loses and delays;
  /// `record` is called each tenth of a second of the last twelve.
  private static func talk(_ record: (VirtualNode, _ tenth: Int) throws -> Void) throws -> Talk {
    var model = LinkModel()
    model.loss = 0.03
    model.jitter = .uniform(nanoseconds: 15_000_000)
    let network = VirtualNetwork(model: model, seed: 7)
    let nodes = try ["Anna", "Bert", "Carl"].enumerated().map { index, name in
      try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat())
    }
    for (node, hertz) in zip(nodes, [440.0, 700, 1100]) {
      node.mic = Tone(hertz: hertz).sample
      network.add(node)
    }
    for node in nodes.dropFirst() {
      try node.meet(nodes[0], network)
    }
    network.run(seconds: 3)
    for tenth in 0..<120 {
      try record(nodes[0], tenth)
      network.run(seconds: 0.1)
    }
    // Keys are new in each talk: what is compared is what they protect.
    let sent = try OpenedTraffic(network.traffic, of: nodes).plain
    #expect(sent.count == network.traffic.count)
    return Talk(heard: nodes.map(\.heard), sent: sent)
  }

  private static func deck(_ node: VirtualNode) throws -> TapeDeck {
    let deck = try TapeDeck(
      sampleRate: 48_000, keepsTalkers: true, keepsMix: true, talkers: node.station.talkerCount)
    node.station.beginRecording(on: deck)
    return deck
  }

  @Test(arguments: Reader.allCases)
  func `what is heard and sent is to the bit what it is without a recorder`(
    reader: Reader
  ) throws {
    let undisturbed = try Self.undisturbed.get()
    var tapes: TapeReader?
    let recorded = try Self.talk { node, tenth in
      if let deck = tapes?.deck, reader == .full, tenth % 10 == 0 {
        node.station.endRecording(on: deck)
        tapes = nil
      }
      if tapes == nil { tapes = TapeReader(try Self.deck(node)) }
      if let tenths = reader.tenths, tenth > 0, tenth % tenths == 0 { try tapes?.drain() }
    }
    #expect(Tone(hertz: 700).level(in: undisturbed.heard[0].suffix(48_000)) > 0.05)
    #expect(undisturbed.sent.count > 3000)
    let deck = try #require(tapes?.deck)
    #expect((deck.lostFrames > 0) == (reader == .slow || reader == .stuck))
    // Not compared by the macro, which would print them.
    let isSame = undisturbed == recorded
    #expect(isSame)
  }
}
