import Cryptography
import TestKit
import Testing

@testable import Captions

/// Whole networks in virtual time.
@Suite(.timeLimit(.minutes(5))) struct CaptionTests {
  private func network(_ count: Int = 3, seed: UInt64 = 1) -> CaptionNetwork {
    let network = CaptionNetwork(count: count, seed: seed)
    network.run(seconds: 3)
    return network
  }

  private func stranger(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: [UInt8](repeating: octet, count: 32)))
  }

  @Test func `words are read by all members as they come, and a partial is replaced`() throws {
    let network = network()
    let key = try network.begin(0)
    network.run(seconds: 1)
    let index = try #require(network.say("how", by: 1, at: 0))
    network.run(seconds: 0.2)
    #expect(network.nodes[2].transcript(key)[index]?.text == "how")
    network.nodes[0].desk?.update(
      index,
      CaptionWords(
        "How far is it?", durationMilliseconds: 1200, isFinal: true, language: "en",
        confidencePercent: 93))
    network.run(seconds: 0.2)
    for node in network.nodes {
      #expect(node.transcript(key).count == 1)
      let chunk = try #require(node.transcript(key)[index])
      #expect(chunk.text == "How far is it?" && chunk.isFinal && chunk.language == "en")
      #expect(chunk.talker.name == "talker 1" && chunk.talker.colourRGB == 0xFF8000)
      #expect(chunk.durationMilliseconds == 1200 && chunk.confidencePercent == 93)
      #expect((900...1500).contains(chunk.startMilliseconds))
    }
  }

  @Test func `what a node says before it is known as a member counts`() {
    let network = CaptionNetwork(count: 2, seed: 3)
    network.hand(CaptionFrame.hello(refuses: true, run: 1).octets, from: 1, to: 0)
    network.nodes[0].desk?.join(network.nodes[1].id, nowNanoseconds: 0)
    #expect(network.nodes[0].desk?.refusers == [network.nodes[1].id])
  }

  @Test func `what is final stays, whatever comes late`() throws {
    let network = network()
    let key = try network.begin(0)
    let index = try #require(network.say("done", by: 1, at: 0, isFinal: true))
    network.nodes[0].desk?.update(index, CaptionWords("else", durationMilliseconds: 1))
    network.run(seconds: 1)
    #expect(network.nodes[1].transcript(key)[index]?.text == "done")
  }

  @Test func `a late joiner gets the whole of eight hours at once, then the rest`() throws {
    let network = network()
    network.kill(2)
    let key = try network.begin(0)
    for number in 0..<7200 {
      _ = network.say(
        "sentence \(number), as long as people say them between two pauses", by: 1, at: 0,
        isFinal: true)
    }
    network.run(seconds: 1)
    network.start(2)
    let before = network.frameCount
    network.run(seconds: 4)
    #expect(network.nodes[2].transcript(key) == network.nodes[0].transcript(key))
    #expect(network.nodes[2].transcript(key).count == 7200)
    // Each once, as full as a message may be.
    #expect(network.frameCount - before < 350)
    let index = try #require(network.say("and now", by: 1, at: 0))
    network.run(seconds: 0.3)
    #expect(network.nodes[2].transcript(key)[index]?.text == "and now")
  }

  @Test func `who talks now is read before what was said before`() throws {
    let network = network()
    network.kill(2)
    let key = try network.begin(0)
    for number in 0..<3000 { _ = network.say("sentence \(number)", by: 1, at: 0, isFinal: true) }
    network.start(2)
    network.run(seconds: 0.1)
    var desk = try #require(network.nodes[0].desk)
    desk.join(network.nodes[2].id, nowNanoseconds: network.time(of: 0))
    desk.follow(network.nodes[2].id, hears: CaptionNetwork.everywhere)
    desk.take(
      CaptionFrame.want(key.number, holding: []).octets, from: network.nodes[2].id,
      nowNanoseconds: network.time(of: 0))
    let talker = CaptionTalker(node: network.nodes[1].id, name: "b")
    let live = desk.open(
      talker, in: CaptionNetwork.everywhere, beganNanoseconds: network.time(of: 0),
      CaptionWords("now", durationMilliseconds: 10))
    var first: CaptionChunk?
    while first == nil {
      let octets = desk.next(for: network.nodes[2].id, nowNanoseconds: network.time(of: 0))
      guard let octets else { break }
      if case .chunks(_, let chunks) = try CaptionFrame(parsing: octets) { first = chunks.first }
    }
    #expect(first?.index == live)
  }

  @Test func `who drops out leaves what was understood as final`() throws {
    let network = network()
    let key = try network.begin(0)
    let index = try #require(network.say("I was just", by: 1, at: 0))
    network.run(seconds: 1)
    network.nodes[0].desk?.settleAll(of: network.nodes[1].id)
    network.run(seconds: 1)
    #expect(network.nodes[2].transcript(key)[index]?.isFinal == true)
    let last = try #require(network.say("and I", by: 1, at: 0))
    network.run(seconds: 1)
    network.kill(0)
    let transcript = try #require(network.nodes[2].desk?.transcripts[key])
    let chunk = try #require(transcript.chunks[last])
    #expect(!transcript.isLive && !chunk.isFinal && transcript.isSettled(chunk))
  }

  @Test func `nobody is captioned who refuses, or has not said that they do not`() throws {
    let network = network()
    let (refuser, key) = (network.nodes[1], try network.begin(0))
    let index = try #require(network.say("before", by: 1, at: 0))
    refuser.desk?.setRefuses(true, nowNanoseconds: network.time(of: 1))
    network.run(seconds: 1)
    #expect(network.nodes[0].desk?.consents(refuser.id) == false)
    #expect(network.nodes[2].desk?.refusers == [refuser.id])
    #expect(network.say("after", by: 1, at: 0) == nil)
    // What was under way ended there.
    #expect(network.nodes[2].transcript(key)[index]?.isFinal == true)
    refuser.desk?.setRefuses(false, nowNanoseconds: network.time(of: 1))
    network.run(seconds: 1)
    #expect(network.say("again", by: 1, at: 0) != nil)
    network.nodes[0].desk?.setRefuses(true, nowNanoseconds: network.time(of: 0))
    #expect(network.say("myself", by: 0, at: 0) == nil)
    #expect(
      network.nodes[0].desk?.consents(try stranger(9)) == false)
  }

  @Test func `text goes to those alone who heard the voice`() throws {
    let network = network()
    let stage = CaptionPlace(group: "crew", line: "stage")
    network.nodes[0].desk?.follow(
      network.nodes[1].id, hears: CaptionNetwork.everywhere.union([stage]))
    let key = try network.begin(0)
    _ = network.nodes[0].desk?.open(
      CaptionTalker(node: network.nodes[1].id, name: "b"), in: [stage],
      beganNanoseconds: network.time(of: 0),
      CaptionWords("for the stage", durationMilliseconds: 1, isFinal: true))
    network.run(seconds: 1)
    #expect(network.nodes[1].transcript(key).count == 1)
    #expect(network.nodes[2].transcript(key).isEmpty)
    #expect(
      network.nodes[2].desk?.transcripts[key]?.scope == "line all", "told that it is captioned")
    // Who comes to the line gets what was said there.
    network.nodes[0].desk?.follow(network.nodes[2].id, hears: [stage])
    network.run(seconds: 1)
    #expect(network.nodes[2].transcript(key).count == 1)
  }

  @Test func `who leaves a line gets nothing of it that still waits`() throws {
    let network = network()
    let (board, open) = (
      CaptionPlace(group: "crew", line: "board", privateLine: [1]),
      CaptionPlace(group: "crew", line: "board")
    )
    let reader = network.nodes[1]
    network.nodes[0].desk?.follow(reader.id, hears: [board])
    let key = try network.begin(0)
    network.run(seconds: 1)
    _ = network.nodes[0].desk?.open(
      CaptionTalker(node: network.nodes[2].id, name: "c"), in: [board],
      beganNanoseconds: network.time(of: 0),
      CaptionWords("for the board", durationMilliseconds: 1, isFinal: true))
    // To the public line of that name instead, and to another private one.
    let other = CaptionPlace(group: "crew", line: "board", privateLine: [2])
    network.nodes[0].desk?.follow(reader.id, hears: [open, other])
    network.run(seconds: 3)
    #expect(reader.transcript(key).isEmpty)
    network.nodes[0].desk?.follow(reader.id, hears: [board, open])
    network.run(seconds: 3)
    #expect(reader.transcript(key).count == 1)
  }

  @Test(arguments: Seeds.first(300))
  func `readers come, go, restart and are cut off, and all transcripts become equal`(
    seed: UInt64
  ) throws {
    let network = CaptionNetwork(count: 5, seed: seed)
    (network.doubles, network.failures) = (0.2, 0.02)
    network.run(seconds: 2)
    let keys = [try network.begin(0), try network.begin(1)]
    var open: [(captioner: Int, index: UInt32)] = []
    for _ in 0..<120 {
      switch Int.random(in: 0..<12, using: &network.random) {
      case 0: network.kill(Int.random(in: 2..<5, using: &network.random))
      case 1, 2:
        for index in 2..<5 where network.nodes[index].desk == nil { network.start(index) }
      case 3:
        let (one, other) = (
          Int.random(in: 0..<5, using: &network.random),
          Int.random(in: 0..<5, using: &network.random)
        )
        if one != other { network.cut(one, from: other) }
      case 4: network.mend()
      case 5, 6, 7:
        let captioner = Int.random(in: 0..<2, using: &network.random)
        let talker = Int.random(in: 0..<5, using: &network.random)
        if let index = network.say("first words", by: talker, at: captioner) {
          open.append((captioner, index))
        }
      default:
        guard let (captioner, index) = open.randomElement(using: &network.random) else { break }
        let isFinal = network.random.chance(0.3)
        network.nodes[captioner].desk?.update(
          index,
          CaptionWords(
            "words \(network.random.next() % 1000)", durationMilliseconds: 900, isFinal: isFinal))
        if isFinal { open.removeAll { $0 == (captioner, index) } }
      }
      network.run(seconds: Double.random(in: 0...0.6, using: &network.random))
    }
    network.mend()
    network.failures = 0
    for index in 2..<5 where network.nodes[index].desk == nil { network.start(index) }
    // Two offers later whatever was lost is noticed.
    network.run(seconds: 45)
    for (captioner, key) in keys.enumerated() {
      let told = network.nodes[captioner].transcript(key)
      for (index, node) in network.nodes.enumerated() {
        #expect(node.transcript(key) == told, "seed \(seed), node \(index)")
        // Of before a restart.
        let faults = node.desk?.faults.filter { $0.key != .unknownSession }
        #expect(faults?.isEmpty == true, "seed \(seed), node \(index)")
      }
    }
    let quiet = network.frameCount
    network.run(seconds: 60)
    // Nothing but offers: three a minute of two captioners to four members.
    #expect(network.frameCount - quiet <= 2 * 4 * 4, "seed \(seed)")
  }

  @Test(arguments: Seeds.first(200))
  func `the same chunks in any order, doubled, make the same transcript`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let own = try stranger(1)
    let other = try stranger(2)
    let offer = CaptionOffer(
      number: 7, isLive: true, isFollowed: true, elapsedMilliseconds: 0, count: 0, finals: 0,
      scope: "")
    var versions: [[UInt8]] = []
    for index in 0..<6 as Range<UInt32> {
      for revision in 1...4 as ClosedRange<UInt32> {
        for copy in 0..<2 {
          // Somebody who says two things by one number makes no reader differ from another.
          let chunk = CaptionChunk(
            index: index, revision: revision, talker: CaptionTalker(node: other, name: "b"),
            startMilliseconds: 0, durationMilliseconds: 0, text: "\(revision) \(copy)",
            isFinal: revision == 4 && index % 2 == 0, language: "", confidencePercent: nil)
          versions.append(CaptionFrame.chunks(7, [chunk]).octets)
        }
      }
    }
    func reader(_ frames: [[UInt8]]) -> [UInt32: CaptionChunk]? {
      var desk = CaptionDesk(own: own, instance: 1)
      desk.join(other, nowNanoseconds: 0)
      desk.take(CaptionFrame.offer(offer).octets, from: other, nowNanoseconds: 0)
      for frame in frames { desk.take(frame, from: other, nowNanoseconds: 0) }
      return desk.transcripts.values.first?.chunks
    }
    let expected = reader(versions)
    let mixed = (versions + versions).shuffled(using: &random)
    #expect(reader(mixed) == expected, "seed \(seed)")
    #expect(expected?.count == 6)
  }
}
