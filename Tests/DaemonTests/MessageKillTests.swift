import Foundation
import TestKit
import Testing

/// Two daemons that talk by messages while they are killed at whatever moment: `messages.db` loses nothing.
@Suite(.timeLimit(.minutes(4))) struct MessageKillTests {
  private static let names = ["anna", "bert"]
  /// A page of `comlink messages` has room for what both say.
  private static let most = 90

  private let pair: DaemonPair

  init() throws { pair = try DaemonPair() }

  /// Says one thing after the other until it is cancelled; what was acknowledged, in its order.
  private func speak(_ from: Int, every pause: Duration) async throws -> [String] {
    var acknowledged: [String] = []
    var number = 0
    while !Task.isCancelled, number < Self.most {
      number += 1
      let text = "\(Self.names[from]) \(number)"
      let said = try await pair.comlink(from, ["say", Self.names[1 - from], text])
      if said.code == 0 { acknowledged.append(text) }
      try? await Task.sleep(for: pause)
    }
    return acknowledged
  }

  /// What a node shows of what another said, or itself.
  private func shown(_ at: Int, of sender: Int) async throws -> [String] {
    let listed = try await pair.comlink(at, ["messages", "-n", "200", "--json", "--keep-unread"])
    return listed.output.matches(of: /"text":"((?:anna|bert) [0-9]+)"/).map { String($0.1) }
      .filter { $0.hasPrefix(Self.names[sender]) }
  }

  @Test func `what was acknowledged is there once and in order, whichever daemon is killed when`()
    async throws
  {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    try await pair.start()
    try await pair.makeCrew()
    let kills = Seeds.rounds(60, shortenedBy: 6)
    let pause = Duration.milliseconds(6 * kills)
    let acknowledged = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      for index in 0..<2 {
        group.addTask { (index, try await speak(index, every: pause)) }
      }
      for _ in 0..<kills {
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...400, using: &random)))
        try await pair.cutAndStart(Int.random(in: 0..<2, using: &random))
      }
      group.cancelAll()
      return try await group.reduce(into: [[], []]) { all, one in all[one.0] = one.1 }
    }
    for sender in 0..<2 {
      #expect(acknowledged[sender].count > 5, "seed \(seed): too few to tell anything")
      let own = try await shown(sender, of: sender)
      // An answer that was lost with its daemon may be of a message that was kept.
      #expect(own.filter { acknowledged[sender].contains($0) } == acknowledged[sender])
      #expect(Set(own).count == own.count, "seed \(seed)")
      try await pair.wait(1 - sender, within: 30) {
        try await shown(1 - sender, of: sender).count >= own.count
      }
      #expect(try await shown(1 - sender, of: sender) == own, "seed \(seed)")
    }
    try await pair.end()
    for index in 0..<2 { #expect(try await pair.judgement(index) == "ok", "seed \(seed)") }
  }
}
