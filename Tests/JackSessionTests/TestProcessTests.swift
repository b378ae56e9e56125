import Foundation
import Glibc
import System
import Testing

@testable import TestJack

/// What the tests with JACK servers stand on.
struct TestProcessTests {
  @Test
  func `a program ends when the thread that owns it ends without a word`() async throws {
    let identifiers = EventLog<Int32>()
    let thread = try BlockingThread(name: "test-parent") { _ in
      guard
        let child = try? ChildProcess(
          path: "/bin/sleep", arguments: ["600"], extraEnvironment: [])
      else { return }
      // setpriv has set the signal once it has become the program.
      let name = "/proc/\(child.identifier)/comm"
      while (try? String(contentsOfFile: name, encoding: .utf8)) != "sleep\n" { usleep(1000) }
      identifiers.append(child.identifier)
    }
    try thread.start()
    #expect(await eventually { identifiers.events.count == 1 })
    let identifier = try #require(identifiers.events.first)
    #expect(
      await eventually {
        var status: Int32 = 0
        return unsafe waitpid(identifier, &status, WNOHANG) == identifier && status == SIGTERM
      })
    #expect(thread.stop(withinMilliseconds: 1000))
  }
}
