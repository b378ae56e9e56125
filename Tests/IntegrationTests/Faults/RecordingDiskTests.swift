import Foundation
import Glibc
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// Disks that fail under a recording while its node talks.
  @Suite struct RecordingDiskTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    /// Has a node record, and waits for the first second.
    private func record(by node: NodeProcess, to path: String) throws {
      var request = RecordingRequest(directory: path)
      request.keepFreeBytes = 0
      _ = try node.ask(.recordStart(request))
      try waitForRecorded(seconds: 1, by: node)
    }

    private func waitForRecorded(seconds: Double, by node: NodeProcess) throws(RigError) {
      try waitUntil("\(seconds) s recorded", within: 30) { () throws(RigError) in
        try node.status().recording?.seconds ?? 0 >= seconds
      }
    }

    @Test func `a disk that does not answer disturbs no talk, and gets the rest when it does`()
      throws
    {
      let deadDisk = directory.file("dead")
      let talk = try OngoingTalk(
        environmentOfB: [
          "LD_PRELOAD": try Interposer.build("dead_disk", in: directory),
          "COMLINK_DEAD_DISK": deadDisk,
        ], in: directory)
      let node = talk.b.node
      try record(by: node, to: directory.path)
      try #require(FileManager.default.createFile(atPath: deadDisk, contents: nil))
      // For longer than what waits for the disk has room in memory.
      let hearing = try talk.hearing(seconds: 9)
      let stuck = try #require(try node.status().recording)
      #expect(stuck.isRunning && stuck.stalledSeconds > 6 && stuck.droppedFrames > 0, "\(stuck)")
      #expect(hearing.isUndisturbed, "\(hearing)")
      try FileManager.default.removeItem(atPath: deadDisk)
      try waitForRecorded(seconds: stuck.seconds + 10, by: node)
      #expect(try node.ask(.recordStop) == .ok)
      #expect(try node.status().recording?.hasFailed == false)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `a disk that is full ends the recording, and disturbs no talk`() throws {
      let talk = try OngoingTalk(in: directory)
      let node = talk.b.node
      let disk = try SmallDisk(at: directory.file("disk"))
      try record(by: node, to: disk.path)
      let hearing = try talk.hearing(seconds: 6) { try disk.fill() }
      let recording = try #require(try node.status().recording)
      #expect(!recording.isRunning && recording.hasFailed == true, "\(recording)")
      #expect(hearing.isUndisturbed, "\(hearing)")
    }
  }
}
