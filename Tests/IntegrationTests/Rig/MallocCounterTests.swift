import Testing

@testable import TestRig

struct MallocCounterTests {
  @Test func `allocations are counted inside a window only and by thread name`() throws {
    let directory = try TemporaryDirectory()
    let counter = try MallocCounter(in: directory)
    let child = try ChildProcess(
      "sh", ["-c", "while :; do x=$x$x; x=a; done"], environment: counter.environment,
      outputPath: directory.file("out"))
    let usage = try #require(ProcessUsage(of: child.identifier))
    try waitUntil("the shell at work", within: 30) { () throws(RigError) in
      (ProcessUsage(of: child.identifier)?.cpuSeconds ?? 0) > usage.cpuSeconds + 0.02
    }
    #expect(counter.threads.isEmpty)

    counter.openWindow()
    try waitUntil("counted allocations", within: 30) { () throws(RigError) in
      counter.threads.contains { $0.allocations > 10 && $0.frees > 10 }
    }
    counter.closeWindow()
    #expect(counter.threads.map(\.name) == ["sh"])
  }
}
