import Foundation
import TestKit
import Testing

/// `--follow` while comlinkd starts anew.
@Suite(.timeLimit(.minutes(2))) struct FollowProgramTests {
  @Test func `who follows messages or captions goes on after a restart of the daemon`()
    async throws
  {
    let pair = try DaemonPair()
    try await pair.start()
    try await pair.makeCrew()
    let followers = try ["messages", "captions"].map { command in
      try Program("comlink", [command, "--follow", "--control", pair.socket(1)])
    }
    try await pair.wait(1, within: 30) { followers[0].output.contains("hello") }
    let before = followers[0].output
    try await pair.cut(1)
    try await pair.wait(1, within: 30) {
      followers.allSatisfy { $0.complaint.contains("waiting for it") }
    }
    try await pair.start(1)
    try await pair.wait(1, within: 30) {
      followers.allSatisfy { $0.complaint.contains("comlinkd is back") }
    }
    try await pair.wait(0, within: 30) {
      try await pair.comlink(0, ["say", "bert", "and after it"]).code == 0
    }
    try await pair.wait(1, within: 60) { followers[0].output.contains("and after it") }
    let after = followers[0].output
    #expect(after.hasPrefix(before) && !after.dropFirst(before.count).contains("hello"), "once")
    #expect(followers[0].isRunning && followers[1].isRunning)
    for follower in followers { kill(follower.identifier, SIGKILL) }
    try await pair.end()
  }
}
