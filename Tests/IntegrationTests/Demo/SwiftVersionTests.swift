import Foundation
import Testing

@testable import TestRig

/// What `./dev` says where Swift is not as it needs it.
@Suite struct SwiftVersionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

  /// `./dev build` with a Swift that says this of itself; nil: with none.
  private func build(swift said: String?) throws -> (code: Int32, words: String) {
    let programs = ["bash", "dirname", "grep", "head", "id", "sed", "sort", "uname", "basename"]
    let folder = URL(fileURLWithPath: directory.file("bin"))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    for program in programs {
      let path = try #require(ChildProcess.path(of: program))
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: program), withDestinationURL: URL(fileURLWithPath: path))
    }
    if let said {
      let swift = folder.appending(path: "swift")
      try "#!\(folder.path)/bash\necho '\(said)'\n".write(
        to: swift, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: swift.path)
    }
    // Without dpkg-query nothing is installed.
    let dev = try ChildProcess(
      "\(folder.path)/bash", ["\(Executables.sourceRoot)/dev", "build"],
      environment: ["PATH": folder.path], outputPath: directory.file("dev.log"))
    return (try dev.wait(within: 20), dev.output)
  }

  private func expectAdvice(_ words: String) {
    #expect(words.contains("https://www.swift.org/install/linux/"))
    #expect(words.contains("curl -O https://download.swift.org/"))
  }

  @Test func `where Swift is missing it says so, and where to get it`() throws {
    let end = try build(swift: nil)
    #expect(end.code == 1)
    #expect(end.words.contains("Swift 6.2 or newer is not installed"))
    expectAdvice(end.words)
  }

  @Test func `where Swift is too old it says so, and where to get it`() throws {
    let end = try build(swift: "Swift version 5.10.1 (swift-5.10.1-RELEASE)")
    #expect(end.code == 1)
    #expect(end.words.contains("Swift 5.10.1 is too old, 6.2 or newer is needed"))
    expectAdvice(end.words)
  }
}
