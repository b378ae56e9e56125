import Foundation
import Testing

@Suite struct ServiceUnitTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../systemd").standardized

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "no systemd-analyze"))
  func `systemd accepts the unit`() async throws {
    let unit = try String(
      contentsOf: Self.folder.appending(path: "comlinkd.service"), encoding: .utf8)
    let folder = try TestFolder()
    let file = "\(folder.path)/comlinkd.service"
    // The binary is not installed where the tests run; any program stands in for it.
    #expect(unit.contains("ExecStart=/usr/bin/comlinkd "))
    try unit.replacing("/usr/bin/comlinkd", with: "/bin/true").write(
      toFile: file, atomically: true, encoding: .utf8)
    let outcome = try await Self.verify(file)
    #expect(outcome.code == 0)
    #expect(!outcome.complaint.contains("comlinkd.service"), "\(outcome.complaint)")
    // The same check must be able to fail.
    try "[Service]\nExecStart=/nowhere\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try await Self.verify(file).code != 0)
  }

  private static func verify(_ file: String) async throws -> Program.Outcome {
    try await Program.run(analyze, ["verify", "--man=no", file])
  }
}
