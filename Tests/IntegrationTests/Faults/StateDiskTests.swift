import Foundation
import Glibc
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// Disks for a node's state that do not answer, or are full for a while.
  @Suite struct StateDiskTests {
    /// Of nobody who is there.
    private static let stranger = "typm43w3ujqfm3fkpqepbdqhahdrvrrngeehylih2scfoajhv7za"
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    @Test func `a disk that does not answer holds up neither the goodbye nor the end in order`()
      throws
    {
      let deadDisk = directory.file("dead")
      let talk = try OngoingTalk(
        environmentOfA: [
          "LD_PRELOAD": try Interposer.build("dead_disk", in: directory),
          "COMLINK_DEAD_DISK": deadDisk,
        ], in: directory)
      let node = talk.a.node
      try #require(FileManager.default.createFile(atPath: deadDisk, contents: nil))
      // Is answered once it is kept, so never; what follows has to wait for the same disk.
      let path = node.controlPath
      Task.detached {
        var remote = try ControlClient(path: path, timeout: .seconds(30))
        _ = try? remote.request(.block(peer: Self.stranger))
      }
      try waitUntil("a write to begin", within: 20) { () throws(RigError) in
        unsafe access(directory.file("A.state") + "/mesh.new", F_OK) == 0
      }
      _ = try node.ask(.talk(isOn: false))
      let start = monotonicNanoseconds()
      node.process.send(signal: SIGTERM)
      #expect(try node.process.wait(within: 20) == 0)
      // Less than a second is promised; after five the daemon gives up.
      let seconds = Double(monotonicNanoseconds() - start) / 1e9
      #expect(seconds < 3, "\(seconds) s")
      #expect(node.process.output.contains("event=state-hangs"))
      try waitUntil("B's notice of the goodbye", within: 2) { () throws(RigError) in
        talk.b.node.process.output.contains("said goodbye")
      }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `what a full disk did not take is kept once there is room, without another change`()
      throws
    {
      let disk = try SmallDisk(at: directory.file("N.state"))
      let daemon = try Daemon("N", ["--listen", "127.0.0.1:0"], in: directory)
      try daemon.waitUntilReady()
      let talk = try daemon.status().node.talk
      try disk.fill()
      #expect(try ask(daemon, .talk(isOn: !talk)) == .ok)
      guard case .done = try ask(daemon, .block(peer: Self.stranger)) else {
        Issue.record("the disk has room")
        return
      }
      // The two of them.
      try waitUntil("the disk to be full", within: 5) { () throws(RigError) in
        let words = try daemon.status().node.keepingProblem ?? ""
        return words.split(separator: ";").count { $0.contains(systemMessage(ENOSPC)) } == 2
      }
      disk.empty()
      try waitUntil("another try", within: 15) { () throws(RigError) in
        try daemon.status().node.keepingProblem == nil
      }
      daemon.process.send(signal: SIGKILL)
      _ = try daemon.process.wait(within: 5)
      let successor = try Daemon("N", ["--listen", "127.0.0.1:0"], in: directory)
      defer { successor.process.terminate() }
      try successor.waitUntilReady()
      #expect(try successor.status().node.talk == !talk)
      guard case .knownNodes(let all) = try ask(successor, .peers) else {
        Issue.record("no peers")
        return
      }
      #expect(all.contains { $0.id == Self.stranger && $0.admission == "blocked" })
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `a node that starts on a disk that can only be read talks and says so`() throws {
      let disk = try SmallDisk(at: directory.file("B.state"))
      let line = try Line(in: directory)
      let server = try line.server()
      var node = try line.listener()
      let speaker = try line.speaker()
      try node.waitUntilConnected(peers: 1, within: 30)
      let id = try #require(try node.status().node.id)
      node.process.send(signal: SIGTERM)
      #expect(try node.process.wait(within: 20) == 0)

      try disk.setReadOnly(true)
      node = try line.listener()
      try node.waitUntilConnected(peers: 1, within: 30)
      #expect(try speaker.isUnderstood(by: node.ear(on: server)))
      let status = try node.status().node
      // The start could not be counted.
      #expect(status.id != id)
      #expect(node.process.output.contains("event=identity-lost"))
      #expect(try node.ask(.talk(isOn: !status.talk)) == .ok)
      try waitUntil("a word on the disk", within: 10) { () throws(RigError) in
        try node.status().node.keepingProblem?.contains(systemMessage(EROFS)) == true
      }
      #expect(node.process.output.contains("event=not-kept"))

      try disk.setReadOnly(false)
      try waitUntil("another try", within: 20) { () throws(RigError) in
        try node.status().node.keepingProblem == nil
      }
      node.process.send(signal: SIGKILL)
      _ = try node.process.wait(within: 5)
      node = try line.listener()
      try node.waitUntilConnected(peers: 1, within: 30)
      #expect(try node.status().node.talk == !status.talk)
      #expect(try node.status().node.id == id)
    }

    private func ask(_ daemon: Daemon, _ request: ControlRequest) throws -> ControlResponse {
      var remote = try ControlClient(path: daemon.controlPath)
      return try remote.request(request)
    }
  }
}
