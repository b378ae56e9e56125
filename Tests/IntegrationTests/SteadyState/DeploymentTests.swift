import Foundation
import Testing

@testable import TestRig

/// The release programs run where no Swift was ever installed.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment[Executables.variable] != nil,
    "only the release build is deployed; ./dev test names its folder"))
struct DeploymentTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

  @Test(arguments: ["comlinkd", "comlink"])
  func `needs libraries of the system only`(program: String) throws {
    let libraries = try output(of: "ldd", [try Executables.path(of: program)])
    #expect(libraries.contains { $0.contains("libc.so.6") })
    for line in libraries {
      #expect(!line.contains("not found"))
      for foreign in ["swift", "foundation", "dispatch", "blocksruntime"] {
        let name = line.split(separator: " ").first.map { $0.lowercased() } ?? ""
        #expect(!name.contains(foreign), "\(line)")
      }
    }
  }

  @Test(arguments: ["comlinkd", "comlink"])
  func `looks for libraries in no toolchain`(program: String) throws {
    let entries = try output(of: "readelf", ["-d", try Executables.path(of: program)])
    #expect(entries.contains { $0.contains("(NEEDED)") })
    for entry in entries where entry.contains("(RUNPATH)") || entry.contains("(RPATH)") {
      // Beside the program itself is harmless; the linker is told so for every program.
      #expect(entry.hasSuffix("[$ORIGIN]"), "\(entry)")
    }
  }

  private func output(of tool: String, _ arguments: [String]) throws -> [String] {
    let process = try ChildProcess(tool, arguments, outputPath: directory.file(tool))
    try #require(try process.wait(within: 20) == 0, "\(process.output)")
    return process.output.split(separator: "\n").map(String.init)
  }
}
