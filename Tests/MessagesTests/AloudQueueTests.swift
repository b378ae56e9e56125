import Cryptography
import Messages
import TestKit
import Testing

@Suite struct AloudQueueTests {
  private let second: Int64 = 1_000_000_000
  private let senders: [NodeID]
  private var queue = AloudQueue()

  init() throws {
    senders = try (0..<9).map { try TestIdentity(seed: 900 + UInt64($0), groups: []).id }
  }

  private mutating func add(
    _ text: String, by sender: Int = 0, age: UInt32 = 0, at now: Int64 = 0
  ) -> AloudQueue.Fault? {
    do throws(AloudQueue.Fault) {
      try queue.add(text, by: senders[sender], ageSeconds: age, nowNanoseconds: now)
      return nil
    } catch {
      return error
    }
  }

  private mutating func expect(
    _ fault: AloudQueue.Fault?, _ text: String, by sender: Int = 0, age: UInt32 = 0,
    at now: Int64 = 0, _ place: SourceLocation = #_sourceLocation
  ) {
    let told = add(text, by: sender, age: age, at: now)
    #expect(told == fault, sourceLocation: place)
  }

  @Test mutating func `texts are spoken in the order of their coming, without what nobody can say`()
    throws
  {
    expect(nil, "Stand\u{7}  by\non \u{202E}ten")
    expect(nil, "go", by: 1)
    let next = queue.next(nowNanoseconds: 0)
    let first = try #require(next)
    #expect(first.words == "Stand by on ten" && first.sender == senders[0])
    let second = queue.next(nowNanoseconds: 0)
    #expect(second?.words == "go")
    let third = queue.next(nowNanoseconds: 0)
    #expect(third == nil && queue.faults.isEmpty)
  }

  @Test mutating func `who floods is counted, and keeps nobody else out`() {
    let faults = (0..<6).map { add("call \($0)") }
    #expect(faults == [nil, nil, nil, nil, .flood, .flood])
    for sender in 1..<4 {
      for number in 0..<4 {
        expect(nil, "call \(number)", by: sender)
      }
    }
    expect(.full, "me too", by: 4)
    #expect(queue.count == AloudQueue.most && queue.faults == [.flood: 2, .full: 1])
    _ = queue.next(nowNanoseconds: 0)
    expect(nil, "me too", by: 4)
  }

  @Test mutating func `what is old, or waited too long, is not spoken`() {
    expect(.old, "long ago", age: 31)
    expect(nil, "just now", age: 30)
    expect(nil, "later", at: 40 * second)
    let next = queue.next(nowNanoseconds: 61 * second)
    #expect(next?.words == "later")
    #expect(queue.faults == [.old: 1, .late: 1])
  }

  @Test mutating func `a long text is cut after a word, and one without words is not spoken`()
    throws
  {
    expect(.wordless, "\u{1F600} !? \u{200B}")
    expect(nil, String(repeating: "word ", count: 800))
    let next = queue.next(nowNanoseconds: 0)
    let words = try #require(next).words
    #expect(words.count == 499 && words.hasSuffix("word"))
    expect(nil, String(repeating: "x", count: 4096))
    let last = queue.next(nowNanoseconds: 0)
    #expect(last?.words.count == AloudQueue.mostCharacters)
  }

  @Test(arguments: Seeds.first(20))
  func `whatever comes, it is bounded`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (queue, now) = (AloudQueue(), Int64(0))
    var (added, spoken) = (0, 0)
    for _ in 0..<2000 {
      now += Int64.random(in: 0..<8 * second, using: &random)
      if random.chance(0.7) {
        let sender = senders[Int.random(in: 0..<senders.count, using: &random)]
        let count = Int.random(in: 0...600, using: &random)
        let text = String(repeating: random.chance(0.2) ? "\u{7}" : "a ", count: count)
        let age = UInt32.random(in: 0...40, using: &random)
        if (try? queue.add(text, by: sender, ageSeconds: age, nowNanoseconds: now)) != nil {
          added += 1
        }
      } else if let text = queue.next(nowNanoseconds: now) {
        spoken += 1
        #expect((1...AloudQueue.mostCharacters).contains(text.words.count))
      }
      #expect(queue.count <= AloudQueue.most)
    }
    #expect(added == spoken + queue.count + (queue.faults[.late] ?? 0))
  }
}

/// Texts that are to be spoken, through a network in virtual time.
@Suite struct AloudMessageTests {
  private func network() throws -> (MessageNetwork, Conversation) {
    let group = try Group(name: "crew")
    let network = try MessageNetwork(count: 3, seed: 4, group: group)
    network.run(seconds: 10)
    return (network, .group(GroupTag(of: group)))
  }

  @Test func `it arrives at once as a text that is to be spoken, and is kept as any other`() throws
  {
    let (network, group) = try network()
    #expect(network.say("stand by", isAloud: true, from: 0, to: group) != nil)
    #expect(network.say("and read", from: 0, to: group) != nil)
    network.run(seconds: 2)
    for node in network.nodes.dropFirst() {
      #expect(node.texts.map(\.text) == ["stand by", "and read"])
      #expect(node.texts.map(\.isAloud) == [true, false])
      #expect(node.texts.allSatisfy { $0.ageSeconds <= AloudQueue.freshSeconds })
      #expect(node.journal.history.map(\.content) == [.text("stand by"), .text("and read")])
    }
    #expect(network.nodes[0].texts.isEmpty)
  }

  @Test func `after a partition its age is told, whoever kept it`() throws {
    let (network, group) = try network()
    network.kill(2)
    network.run(seconds: 1)
    _ = network.say("stand by", isAloud: true, from: 0, to: group)
    network.run(seconds: 60)
    network.kill(0)
    try network.start(2)
    network.run(seconds: 5)
    let text = try #require(network.nodes[2].texts.first)
    #expect(text.isAloud && text.ageSeconds > AloudQueue.freshSeconds && text.ageSeconds < 120)
  }

  @Test func `a text that is too long to be spoken is refused with what to do`() throws {
    let (network, group) = try network()
    let long = String(repeating: "ä", count: AloudQueue.mostCharacters + 1)
    #expect(network.say(long, isAloud: true, from: 0, to: group) == nil)
    #expect(network.say(long, from: 0, to: group) != nil)
    #expect("\(SayError.aloud(characterCount: 501))".contains("at most 500: send it in parts"))
  }
}
