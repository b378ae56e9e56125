import Cryptography
import Mesh
import TestKit
import Testing

@testable import Captions

/// Hours of text on their way to who comes late, over the lane in virtual time.
@Suite struct HistoryTests {
  /// Two lanes' ends on a path that takes so many octets a second, and so long.
  private final class Path {
    static let step: Int64 = 200_000
    let ends: [LaneDesk]
    let nodes: [NodeID]
    private(set) var now: Int64 = 1_000_000_000
    private let connection = ConnectionID(rawValue: 1)
    private let delay: Int64
    private let bytesPerSecond: Double
    private var flights: [[(due: Int64, frame: LaneFrame)]] = [[], []]
    private var freeAt: [Int64] = [0, 0]
    private var sequence: UInt64 = 0
    private var waits = false
    private(set) var octetCount = 0

    init(nodes: [NodeID], milliseconds: Double, bytesPerSecond: Double) {
      self.nodes = nodes
      (delay, self.bytesPerSecond) = (Int64(milliseconds * 1e6), bytesPerSecond)
      ends = [LaneDesk(firstNumber: 1000), LaneDesk(firstNumber: 90_000)]
      for (index, end) in ends.enumerated() {
        end.open(.captions)
        end.attach(connection, to: nodes[1 - index], nowNanoseconds: now)
      }
    }

    /// Goes on a step: what the first node has to say is offered as the service does it, the next once one is taken.
    func advance(_ next: () -> [UInt8]?, _ take: ([UInt8]) -> Void) throws {
      while !waits, let octets = next() {
        sequence += 1
        waits = true
        try ends[0].send(octets, on: .captions, to: nodes[1], sequence: sequence)
        collect(0) { _ in }
      }
      for index in 0...1 {
        while freeAt[index] <= now,
          let frame = ends[index].next(on: connection, nowNanoseconds: now)
        {
          var size = 60.0
          if case .chunk(let chunk) = frame { size += Double(chunk.octets.count) }
          freeAt[index] = max(freeAt[index], now) + Int64(size / bytesPerSecond * 1e9)
          if index == 0 { octetCount += Int(size) }
          flights[index].append((freeAt[index] + delay, frame))
        }
        let arrived = flights[index].prefix { $0.due <= now }
        flights[index].removeFirst(arrived.count)
        for flight in arrived {
          ends[1 - index].take(flight.frame, on: connection, nowNanoseconds: now)
        }
        collect(index, take)
      }
      now += Self.step
    }

    private func collect(_ index: Int, _ take: ([UInt8]) -> Void) {
      var events = ends[index].takeEvents()
      while !events.isEmpty {
        for event in events {
          switch event {
          case .queued: waits = false
          case .message(let message):
            take(message.octets)
            ends[index].finish(message, nowNanoseconds: now)
          default: break
          }
        }
        events = ends[index].takeEvents()
      }
    }
  }

  private static func sentence(_ number: Int) -> String {
    let words = [
      "stand", "by", "light", "cue", "please", "and", "the", "sound", "of", "stage", "left", "go",
    ]
    return (0..<11).map { words[(number * 7 + $0 * $0) % words.count] }.joined(separator: " ")
  }

  private func host(_ readers: [CaptionSigner]) throws -> (HostedSessions, CaptionSessionKey) {
    var host = HostedSessions(instance: 1, signer: try SessionTestKey(100).signer)
    host.follow(ownGroups: ["crew"], only: "crew")
    let title = SessionTitle(name: "Show", line: "all", isSolo: false)
    let session = try host.begin(title, host: "desk", nowNanoseconds: 0)
    for reader in readers { seat(reader, in: session, at: &host) }
    return (host, session)
  }

  private func seat(
    _ reader: CaptionSigner, in session: CaptionSessionKey, at host: inout HostedSessions
  ) {
    host.join(reader.node, nowNanoseconds: 0)
    host.follow(reader.node, hears: HostedNetwork.everywhere, in: ["crew"])
  }

  @Test func `eight hours of text are there within a second, while twenty read along`() throws {
    let readers = try (1...20).map { try SessionTestKey(UInt64($0)).signer }
    let (late, others) = (readers[19], Array(readers.dropLast()))
    var (host, session) = try host(others)
    let talkers = (0..<6).map { CaptionTalker(node: readers[$0].node, name: "talker \($0)") }
    // A sentence each four seconds; the others read along from the last minutes on.
    for number in 0..<7200 {
      let words = CaptionWords(
        Self.sentence(number), durationMilliseconds: 3100, isFinal: true, language: "en",
        confidencePercent: 87)
      _ = host.open(
        talkers[number % 6], in: [], beganNanoseconds: Int64(number) * 4_000_000_000, words)
      for reader in others {
        if number == 7000 {
          let want = HostedFrame.want(session, holding: [0..<7000])
          host.take(want.octets, from: reader.node, nowNanoseconds: 0) { _ in nil }
        }
        while host.next(for: reader.node, nowNanoseconds: 0) != nil {}
      }
    }
    var reader = HostedSessions(instance: 1, signer: late)
    reader.follow(ownGroups: ["crew"], only: "crew")
    seat(late, in: session, at: &host)
    let end: Int64 = 7200 * 4_000_000_000
    // A LAN of 100 Mbit/s.
    let path = Path(
      nodes: [host.signer.node, late.node], milliseconds: 1, bytesPerSecond: 12_500_000)
    reader.join(host.signer.node, nowNanoseconds: 0)
    reader.follow(host.signer.node, hears: HostedNetwork.everywhere, in: ["crew"])
    while let octets = host.next(for: late.node, nowNanoseconds: end) {
      reader.take(octets, from: host.signer.node, nowNanoseconds: 0) { _ in nil }
    }
    try reader.join(session: session, nowNanoseconds: 0)
    let asked = path.now
    while let octets = reader.next(for: host.signer.node, nowNanoseconds: 0) {
      host.take(octets, from: late.node, nowNanoseconds: end) { _ in nil }
    }
    var count = 0
    while count < 7200, path.now < asked + 5_000_000_000 {
      try path.advance({ host.next(for: late.node, nowNanoseconds: end) }) { octets in
        reader.take(octets, from: host.signer.node, nowNanoseconds: 0) { _ in nil }
      }
      count = reader.transcript(ofPart: session)?.chunks.count ?? 0
    }
    let seconds = Double(path.now - asked) / 1e9
    #expect(count == 7200)
    print("history: \(seconds) s, \(path.octetCount) octets")
    #expect(seconds <= 1 && path.octetCount < 1_100_000)
    #expect(
      reader.transcript(of: session)?.chunks == host.transcript(of: session)?.chunks)
    #expect(reader.faults.isEmpty && host.faults.isEmpty)
    try handOn(reader, from: late, to: others[0], session, without: host.signer.node)
  }

  /// Whoever has it from the host can hand it on: its signatures are looked at then.
  private func handOn(
    _ reader: HostedSessions, from late: CaptionSigner, to other: CaptionSigner,
    _ session: CaptionSessionKey, without host: NodeID
  ) throws {
    var (reader, third) = (reader, HostedSessions(instance: 1, signer: other))
    third.follow(ownGroups: ["crew"], only: "crew")
    third.join(late.node, nowNanoseconds: 0)
    seat(other, in: session, at: &reader)
    reader.leave(host, nowNanoseconds: 0)
    for _ in 0..<3 {
      while let octets = reader.next(for: other.node, nowNanoseconds: 0) {
        third.take(octets, from: late.node, nowNanoseconds: 0) { _ in nil }
      }
      try? third.join(session: session, nowNanoseconds: 0)
      while let octets = third.next(for: late.node, nowNanoseconds: 0) {
        reader.take(octets, from: other.node, nowNanoseconds: 0) { _ in nil }
      }
    }
    #expect(third.faults.isEmpty && third.transcript(of: session)?.chunks.count == 7200)
  }

  @Test func `a host's chunk with a wrong signature is handed on to nobody`() throws {
    let (one, other) = (try SessionTestKey(1).signer, try SessionTestKey(2).signer)
    let key = try SessionTestKey(100).signer
    let bill = try #require(
      SessionBill(
        7, of: CaptionSessionKey(captioner: key.node, number: 7), generation: 1,
        SessionTitle(name: "Show", line: "all", isSolo: false), host: "desk", ending: .open,
        by: key))
    var part = SessionPart(bill, beganNanoseconds: 0)
    func chunk(_ index: UInt32, by signer: CaptionSigner) throws -> SignedChunk {
      try #require(
        SignedChunk(
          CaptionChunk(
            index: index, CaptionTalker(node: other.node, name: ""), startMilliseconds: 0,
            CaptionWords("said", durationMilliseconds: 1, isFinal: true)),
          of: bill.part, by: signer))
    }
    part.put(try chunk(0, by: key), isProved: false)
    part.put(try chunk(1, by: one), isProved: false)
    for _ in 0..<2 {
      let (good, wrong) = (part.signed(0), part.signed(1))
      #expect(good != nil && wrong == nil)
    }
  }

  @Test func `names that look alike but are written otherwise stay as they were signed`() throws {
    let node = try SessionTestKey(1).signer.node
    var packer = CaptionPacker(after: [])
    let names = ["é", "e\u{301}", "é"]
    for (index, name) in names.enumerated() {
      let chunk = CaptionChunk(
        index: UInt32(index), CaptionTalker(node: node, name: name), startMilliseconds: 0,
        CaptionWords("a", durationMilliseconds: 0))
      let isAdded = packer.add(chunk)
      #expect(isAdded)
    }
    var (reader, unpacker) = (CaptionReader(packer.octets), CaptionUnpacker())
    for name in names {
      let chunk = try unpacker.chunk(&reader)
      #expect(Array(chunk.talker.name.utf8) == Array(name.utf8))
    }
    #expect(reader.isAtEnd)
  }
}

/// Text through a bad network in virtual time.
@Suite struct OutageTests {
  /// 30 s of talk, of which a reader misses 10 in one piece; a frame in twenty is lost with its lane.
  @Test(arguments: Seeds.first(40))
  func `through 5 % loss and 10 s without a network the text is the same, and complete`(
    seed: UInt64
  ) throws {
    let captions = CaptionNetwork(count: 3, seed: seed)
    captions.run(seconds: 3)
    captions.failures = 0.05
    let key = try captions.begin(0)
    let hosted = try HostedNetwork(count: 3, seed: seed)
    hosted.run(seconds: 3)
    hosted.failures = 0.05
    let session = try hosted.host(0)
    hosted.run(seconds: 2)
    for index in 1...2 { try hosted.join(index, session) }
    for second in 0..<30 {
      if second == 8 {
        captions.cut(0, from: 2)
        hosted.cut(0, from: 2)
      }
      if second == 18 {
        captions.mend()
        hosted.mend()
      }
      let partial = captions.say("words \(second)", by: 1, at: 0)
      let hostedPartial = hosted.say("words \(second)", by: 1, at: 0, isFinal: false)
      captions.run(seconds: 0.5)
      hosted.run(seconds: 0.5)
      let all = CaptionWords("words \(second), and more", durationMilliseconds: 900, isFinal: true)
      captions.nodes[0].desk?.update(try #require(partial), all)
      hosted.nodes[0].sessions?.update(try #require(hostedPartial), all)
      captions.run(seconds: 0.5)
      hosted.run(seconds: 0.5)
    }
    // Two offers later whatever was lost at the end is noticed.
    (captions.failures, hosted.failures) = (0, 0)
    captions.run(seconds: 45)
    hosted.run(seconds: 45)
    let told = captions.nodes[0].transcript(key)
    #expect(told.count == 30 && told.values.allSatisfy(\.isFinal))
    for index in 1...2 {
      #expect(captions.nodes[index].transcript(key) == told, "seed \(seed), node \(index)")
      let texts = hosted.nodes[index].texts(session)
      #expect(texts == (0..<30).map { "words \($0), and more" }, "seed \(seed), node \(index)")
    }
  }
}
