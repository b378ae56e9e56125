import Foundation
import TestKit
import Testing

@testable import EventLoop

@Suite(
  .enabled(
    if: geteuid() == 0 && !AllocationWatch.hasSanitizer,
    "only root may lock all memory, and a sanitizer has more than there is"),
  .timeLimit(.minutes(2)))
struct LockedMemoryTests {
  /// Kilobytes of code in memory, and how many of its mappings are locked or not.
  private struct Code {
    var residentKilobytes = 0
    var lockedMappings = 0
    var otherMappings = 0

    init() throws {
      let text = try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
      var isCode = false
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words[0].contains("-") {
          isCode = words[1] == "r-xp" && words.count > 5 && words[5].hasPrefix("/")
        }
        guard isCode else { continue }
        if words[0] == "Rss:" { residentKilobytes += Int(words[1]) ?? 0 }
        guard words[0] == "VmFlags:" else { continue }
        if words.contains("lo") { lockedMappings += 1 } else { otherMappings += 1 }
      }
    }
  }

  @Test
  func `code that only the start needed is let go, and what is touched again is locked`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(configuration: EventLoopConfiguration(locksMemory: true))
      #expect(loop.memoryLockWarning == nil)
      try loop.start()
      #expect(await loop.beatAndWait())
      // Twice: what reads is in memory before and after.
      _ = try Code()
      let before = try Code()
      loop.forgetStart()
      let after = try Code()
      #expect(before.otherMappings == 0 && before.lockedMappings > 0)
      #expect(after.otherMappings == 0 && after.lockedMappings == before.lockedMappings)
      #expect(after.residentKilobytes < before.residentKilobytes)
      #expect(await loop.beatAndWait())
      loop.stop()
    }
  }
}
