import Foundation
import Testing

private let analyze = "/usr/bin/systemd-analyze"

/// The units as they are installed.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "no systemd-analyze"))
struct ServiceUnitTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../systemd").standardized
  /// What `systemd-analyze security` may find at most, of 10.
  private static let exposureLimit = 2.0
  static let services = [
    "comlinkd.service", "jackd@.service", "comlink-keys.service", "comlink-speech.service",
  ]

  private let copies: TestFolder

  /// The programs are not installed where the tests run; any program stands in for them.
  init() throws {
    copies = try TestFolder()
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    try FileManager.default.createDirectory(
      atPath: "\(copies.path)/user", withIntermediateDirectories: false)
    for name in names.filter({ $0 != "user" }) + ["user/comlinkd.service"] {
      let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
      try text.replacing("/usr/bin/comlinkd", with: "/bin/true")
        .replacing("/usr/bin/comlink-keys", with: "/bin/true")
        .replacing("/usr/bin/comlink-speech", with: "/bin/true")
        .replacing("/usr/bin/jackd", with: "/bin/true")
        .replacing("/usr/bin/pw-jack", with: "/bin/true")
        .write(toFile: "\(copies.path)/\(name)", atomically: true, encoding: .utf8)
    }
  }

  private func outcome(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(analyze, arguments)
  }

  @Test(arguments: [
    "comlinkd.service", "jackd@USB.service", "comlink.target", "comlink-keys.service",
    "comlink-speech.service", "user/comlinkd.service",
  ])
  func `systemd accepts the unit`(unit: String) async throws {
    let outcome = try await outcome(["verify", "--man=no", "\(copies.path)/\(unit)"])
    #expect(outcome.code == 0)
    for name in ["comlinkd.service", "jackd@", "comlink.target", "comlink-keys", "comlink-speech"] {
      #expect(!outcome.complaint.contains(name), "\(outcome.complaint)")
    }
  }

  @Test func `the check of units can fail`() async throws {
    let file = "\(copies.path)/comlinkd.service"
    try "[Service]\nExecStart=/nowhere\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await outcome(["verify", "--man=no", file]).code != 0)
  }

  @Test(arguments: services) func `little is open to it`(unit: String) async throws {
    let outcome = try await security(unit)
    #expect(outcome.code == 0, "\(outcome.output)")
  }

  @Test(arguments: services) func `the check of what is open can fail`(unit: String) async throws {
    let file = "\(copies.path)/\(unit)"
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("SystemCallFilter=", with: "#")
      .write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await security(unit).code != 0)
  }

  /// `taskset` asks the kernel as systemd does.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/taskset")))
  func `the cores of the example are among those of a machine with two`() async throws {
    let file = Self.folder.appending(path: "cpu-affinity.conf")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let setting = try #require(lines.last { $0.hasPrefix("CPUAffinity=") })
    let words = setting.dropFirst("CPUAffinity=".count)
    #expect(try #require(Int(words.prefix { $0.isNumber })) <= 1)
    guard ProcessInfo.processInfo.processorCount > 1 else { return }
    #expect(try await Program.run("/usr/bin/taskset", ["-c", "\(words)", "/bin/true"]).code == 0)
  }

  private func security(_ unit: String) async throws -> Program.Outcome {
    try await outcome([
      "security", "--offline=yes", "--no-pager", "--threshold=\(Int(Self.exposureLimit * 10))",
      "\(copies.path)/\(unit)",
    ])
  }
}
