import Cryptography
import Foundation
import Journal
import Messages
import Remote
import StatusSchema
import TestKit
import TestRig
import Testing

/// What very many messages cost a node, and how soon a long voice message is there.
@Suite(.serialized, .timeLimit(.minutes(4))) struct MessageLoadTests {
  private static let words = [
    "stand", "by", "lights", "go", "sound", "cue", "stage", "left", "right", "hold",
  ]

  private let pair: DaemonPair

  init() throws { pair = try DaemonPair() }

  /// The journal of a node that was at it for weeks.
  private func fill(_ path: String, _ count: Int) throws {
    let journal = try Journal(path: path)
    let senders = try (0..<20).map { _ in try NodeKey().id }
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    for batch in 0..<count / 1000 {
      try journal.write(
        (batch * 1000..<(batch + 1) * 1000).map { number in
          let text = (0..<8).map { Self.words[(number / ($0 + 1)) % 10] }.joined(separator: " ")
          let sender = senders[number % 20]
          return .message(
            Message(
              key: MessageKey(sender: sender, sequence: UInt64(number + 1)),
              conversation: number % 3 == 0 ? .line(.named("all")) : .member(sender),
              content: .text("\(text) everyone \(number)"), sentUnixMilliseconds: now,
              takenUnixMilliseconds: now))
        })
    }
  }

  /// What a user may do with messages for a while, at both nodes by turns, so that what else the machine does is the
  /// same to both; how long a page, a rare and a common word took, in the middle.
  private func use(_ count: Int) throws -> [[Duration]] {
    var first = try ControlClient(path: pair.socket(0), timeout: .seconds(30))
    var second = try ControlClient(path: pair.socket(1), timeout: .seconds(30))
    var random = SplitMix64(seed: 3)
    func took(_ index: Int, _ change: (inout MessageRequest) -> Void) throws -> Duration {
      var request = MessageRequest()
      request.marksRead = false
      change(&request)
      let start = ContinuousClock.now
      let answer =
        try index == 0
        ? first.request(.messages(request)) : second.request(.messages(request))
      guard case .messages = answer else {
        Issue.record("no messages")
        return .zero
      }
      return ContinuousClock.now - start
    }
    var all = [[[Duration]]](repeating: [[], [], []], count: 2)
    for _ in 0..<50 {
      let place = Int64.random(in: 1...Int64(count), using: &random)
      for index in 0..<2 {
        all[index][0].append(try took(index) { $0.before = place })
        all[index][1].append(try took(index) { $0.search = "\(place)" })
        all[index][2].append(try took(index) { $0.search = "everyone stage" })
      }
    }
    return all.map { $0.map { $0.sorted()[$0.count / 2] } }
  }

  @Test func `a hundred thousand messages are paged and searched at once, and cost no memory`()
    async throws
  {
    let count = Seeds.areAll ? 100_000 : 20_000
    try FileManager.default.createDirectory(
      atPath: pair.state(0), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try fill("\(pair.state(0))/messages.db", count)
    try await pair.start()
    let used = try use(count)
    var written: [Double] = []
    var resident: [Double] = []
    for index in 0..<2 {
      let process = try #require(pair.process(index))
      written.append(try #require(ProcessUsage.writtenMegabytes(of: process)))
      resident.append(try #require(ProcessUsage.residentSetMegabytes(of: process)))
    }
    let listed = try await pair.comlink(0, ["messages", "-n", "200", "--json", "--keep-unread"])
    #expect(listed.output.split(separator: "\n").count == 200)
    print(
      """
      \(count) messages: page \(used[0][0]), rare word \(used[0][1]), common words \(used[0][2]); \
      memory +\(written[0] - written[1]) MB written, +\(resident[0] - resident[1]) MB resident
      """)
    #expect(written[0] - written[1] <= 8 && resident[0] - resident[1] <= 8)
    // Reading all messages for each would be hundreds of times what a node without any takes.
    let ratios = zip(used[0], used[1]).map { $0 / $1 }
    print("beside a node without messages: \(ratios)")
    #expect(ratios[0] < 40 && ratios[1] < 40 && ratios[2] < 200, "\(used)")
    try await pair.end()
  }

  @Test func `half a minute of voice is there at once when it was sent`() async throws {
    try await pair.start()
    try await pair.makeCrew()
    let follower = try Program(
      "comlink", ["messages", "--follow", "--json", "--keep-unread", "--control", pair.socket(1)])
    let path = "\(pair.folder.path)/long.wav"
    try ToneFile.write(path, seconds: 30)
    var took: [Duration] = []
    for number in 1...Seeds.rounds(20) {
      let sent = try await pair.comlink(0, ["voice-message", "send", path, "--to", "group"])
      let start = ContinuousClock.now
      #expect(sent.code == 0, "\(sent.complaint)")
      while follower.output.matches(of: /"voice":/).count < number {
        try #require(ContinuousClock.now - start < .seconds(30), "message \(number) is not there")
        try await Task.sleep(for: .milliseconds(2))
      }
      took.append(ContinuousClock.now - start)
    }
    kill(follower.identifier, SIGTERM)
    took.sort()
    print("30 s of voice after send: median \(took[took.count / 2]), longest \(took.last ?? .zero)")
    try await pair.end()
  }
}
