import Media
import RTP
import Testing

/// Two sessions with each other, in virtual time.
@Suite struct PeerReportsConversationTests {
  private static let millisecond = Conversation.millisecond
  private static let second = Conversation.second

  @Test(arguments: [1, 20, 150] as [Int64])
  func `both ends confirm each other within one round trip of the first report`(delay: Int64) {
    let conversation = Conversation(delay: delay * Self.millisecond, seed: 1)
    conversation.run(until: Self.second)
    for end in conversation.ends {
      let confirmed = end.first(.confirmed) ?? .max
      #expect(end.first(.firstHeard) == delay * Self.millisecond)
      #expect(confirmed <= 2 * delay * Self.millisecond + Self.millisecond)
      #expect(end.reports.isConfirmed)
    }
  }

  @Test func `a node that was silent answers at once and is confirmed by the answer to that`() {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 2)
    conversation.ends[1].isAlive = false
    conversation.run(until: 3 * Self.second)
    #expect(conversation.ends[0].first(.firstHeard) == nil)
    conversation.ends[1].isAlive = true
    let start = conversation.now
    conversation.run(until: start + 100 * Self.millisecond)
    #expect(conversation.ends[1].first(.confirmed) ?? .max <= start + 21 * Self.millisecond)
    #expect(conversation.ends[0].first(.confirmed) ?? .max <= start + 31 * Self.millisecond)
  }

  @Test(arguments: [(false, false), (true, false), (true, true)])
  func `the round trip is right within a millisecond, whoever talks`(first: Bool, second: Bool)
    throws
  {
    let conversation = Conversation(delay: 0, seed: 3)
    conversation.oneWayDelay = [7 * Self.millisecond, 23 * Self.millisecond]
    conversation.ends[0].isTalking = first
    conversation.ends[1].isTalking = second
    conversation.run(until: 20 * Self.second)
    for end in conversation.ends {
      let roundTrip = try #require(end.reports.roundTrip)
      #expect(abs(roundTrip.lastNanoseconds - 30 * Self.millisecond) < Self.millisecond)
      #expect(abs(roundTrip.smoothedNanoseconds - 30 * Self.millisecond) < Self.millisecond)
    }
  }

  @Test func `the smoothed round trip follows a change`() throws {
    let conversation = Conversation(delay: 5 * Self.millisecond, seed: 4)
    conversation.run(until: 5 * Self.second)
    conversation.oneWayDelay = [25 * Self.millisecond, 25 * Self.millisecond]
    conversation.run(until: 8 * Self.second)
    let early = try #require(conversation.ends[0].reports.roundTrip)
    #expect(early.smoothedNanoseconds < 30 * Self.millisecond)
    conversation.run(until: 60 * Self.second)
    let late = try #require(conversation.ends[0].reports.roundTrip)
    #expect(abs(late.smoothedNanoseconds - 50 * Self.millisecond) < 2 * Self.millisecond)
  }

  @Test(arguments: [0, 0.05, 0.3])
  func `losses are counted by the one and told to the other`(loss: Double) throws {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 5)
    conversation.packetLoss = loss
    conversation.ends[0].isTalking = true
    conversation.run(until: 30 * Self.second)
    conversation.ends[0].isTalking = false
    conversation.run(until: 33 * Self.second)
    let (talker, listener) = (conversation.ends[0], conversation.ends[1])
    // Losses behind the last packet that came cannot be known.
    #expect(abs(listener.reports.reception.cumulativeLost - talker.lostPackets) <= 3)
    let told = try #require(talker.reports.remoteReception)
    #expect(told.cumulativeLost == listener.reports.reception.cumulativeLost)
    #expect(told.jitterNanoseconds == listener.reports.reception.jitterNanoseconds)
    #expect(listener.reports.remoteReception == nil)
  }

  @Test func `the fraction lost is that of the last interval`() throws {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 6)
    conversation.packetLoss = 0.5
    conversation.ends[0].isTalking = true
    conversation.run(until: 10 * Self.second)
    let fraction = try #require(conversation.ends[0].reports.remoteReception).fractionLost
    #expect((80...176).contains(fraction))
    conversation.packetLoss = 0
    conversation.run(until: 14 * Self.second)
    #expect(conversation.ends[0].reports.remoteReception?.fractionLost == 0)
  }

  @Test func `names are known and reports come every second, give or take a quarter`() {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 7)
    conversation.run(until: 60 * Self.second)
    #expect(conversation.ends[0].reports.remoteName == "Bert")
    #expect(conversation.ends[1].reports.remoteCanonicalName == "Anna@test")
    for end in conversation.ends {
      // The first two are the first report and the answer.
      let gaps = zip(end.sentReports.dropFirst(2), end.sentReports.dropFirst(1)).map { $0 - $1 }
      #expect(gaps.allSatisfy { (749...1251).contains($0 / Self.millisecond) })
      #expect(Set(gaps).count > gaps.count / 2)
      #expect(end.refused == 0)
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `four of ten reports lost do not keep the ends apart`(seed: UInt64) {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 100 + seed)
    conversation.reportLoss = 0.4
    conversation.run(until: 20 * Self.second)
    #expect(conversation.ends.allSatisfy { $0.reports.isConfirmed }, "seed \(100 + seed)")
  }

  @Test func `a node that restarts takes its old place after a round trip and a half`() {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 8)
    conversation.ends[0].isTalking = true
    conversation.run(until: 5 * Self.second)
    conversation.ends[1].reports = Conversation.reports(ssrc: 3, name: "Bert", seed: 99)
    conversation.ends[1].events = []
    let start = conversation.now
    conversation.run(until: start + 60 * Self.millisecond)
    let restarted = conversation.ends[0].first(.restarted) ?? .max
    #expect(restarted <= start + 31 * Self.millisecond)
    #expect(conversation.ends[0].reports.remoteSSRC?.rawValue == 3)
    #expect(conversation.ends[0].reports.isConfirmed)
    #expect(conversation.ends[1].reports.isConfirmed)
  }

  @Test func `a farewell ends the session and a return begins it anew`() throws {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 9)
    conversation.run(until: 2 * Self.second)
    conversation.inject(conversation.ends[1].reports.farewell(), to: 0)
    conversation.ends[1].isAlive = false
    conversation.run(until: 3 * Self.second)
    #expect(conversation.ends[0].first(.bye) != nil)
    #expect(conversation.ends[0].reports.remoteSSRC == nil)
    #expect(!conversation.ends[0].reports.isConfirmed)
    conversation.ends[1].isAlive = true
    conversation.ends[0].events = []
    conversation.run(until: 5 * Self.second)
    #expect(conversation.ends[0].first(.firstHeard) != nil)
    #expect(conversation.ends[0].reports.isConfirmed)
  }

  @Test func `a dead node is known by when it was last heard`() throws {
    let conversation = Conversation(delay: 10 * Self.millisecond, seed: 10)
    conversation.ends[1].isTalking = true
    conversation.run(until: 3 * Self.second)
    let local = conversation.now + conversation.ends[0].clockOffset
    #expect(
      local - (try #require(conversation.ends[0].reports.lastHeardNanoseconds))
        < 20 * Self.millisecond)
    conversation.ends[1].isAlive = false
    conversation.run(until: 8 * Self.second)
    let later = conversation.now + conversation.ends[0].clockOffset
    let silence = later - (try #require(conversation.ends[0].reports.lastHeardNanoseconds))
    #expect((4900...5000).contains(silence / Self.millisecond))
  }
}
