import EventLoop
import Foundation
import Glibc
import Testing

@testable import NodeDaemon

/// The end of a daemon that has not come to run yet.
@Suite(.timeLimit(.minutes(1))) struct EarlyEndTests {
  @Test func `a signal ends it while the name to listen at is looked up for ever`() async throws {
    let folder = try TestFolder()
    var effective = try TestSurroundings.load("listen = \"slow.example.org:5004\"")
    effective.configuration.controlPath = "\(folder.path)/run/c.sock"
    let control = effective.configuration.controlPath
    let (lookups, begun) = AsyncStream<Void>.makeStream()
    let (answers, never) = AsyncStream<Void>.makeStream()
    defer { never.finish() }
    var daemon = Daemon(effective: effective, style: .terminal)
    daemon.resolve = { _ throws(AddressError) in
      begun.yield()
      for await _ in answers {}
      return []
    }
    try await daemon.run {
      for await _ in lookups { break }
      #expect(FileManager.default.fileExists(atPath: control))
      return SIGTERM
    }
    #expect(!FileManager.default.fileExists(atPath: control))
  }
}
