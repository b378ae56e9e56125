import TestKit
import Testing

@testable import TestRig

/// A file on the application lane, between real sockets over a bad network.
@Suite(.serialized, .enabled(if: Namespace.isPermitted, "\(Namespace.reason)"))
struct LaneOverLinkTests {
  private static let talkers = 8

  /// 100 MiB take a quarter of an hour beside the voices; a change is judged by 2 MiB.
  private static let kibibytes = Seeds.areAll ? 100 * 1024 : 2 * 1024
  private static let secondsAlone = 10
  /// For all of it: three times what the path would take.
  private static let seconds = Double(30 + kibibytes * 8 * 1024 / 400_000)

  /// Of a line of figures the one after a word.
  private func figure(_ word: String, of line: String, from process: ChildProcess) -> Double? {
    guard let text = process.output.split(separator: "\n").first(where: { $0.hasPrefix(line) })
    else { return nil }
    let words = text.split(separator: " ")
    return words.firstIndex { $0 == word }.flatMap { Double(words[$0 + 1]) }
  }

  @Test
  func
    `a file at 2 Mbit/s with 3 % loss beside 8 voices is whole after three reconnects, and holds up nothing`()
    throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let link = try LinkProcess(
      ["--rate", "2000", "--loss", "3", "--delay", "10"], in: directory)
    let ends = try ["receive", "send"].enumerated().map { index, role in
      try ChildProcess(
        "ip",
        [
          "netns", "exec", link.namespace(index), try Executables.path(of: "comlink-lane"),
          link.address(index), link.address(1 - index), role, "\(Self.kibibytes)",
          "\(Self.secondsAlone)",
        ], outputPath: directory.file("\(role).log"))
    }
    try waitUntil(
      "the file", within: Self.seconds, interval: 0.2,
      detail: { ends.map(\.output).joined(separator: "\n") }
    ) { () throws(RigError) in
      ends.allSatisfy { $0.output.contains("file parts") }
    }
    let outputs = ends.map(\.output).joined(separator: "\n")
    #expect(ends[0].output.contains("right true"), "\(outputs)")
    for end in ends {
      #expect(figure("departures", of: "file", from: end) == 0, "\(outputs)")
      #expect(figure("connections", of: "file", from: end) == 4, "\(outputs)")
      // Every 2 s; TCP repeats a lost one within half a second, a reconnect takes as long.
      let gap = try #require(figure("gap", of: "file", from: end))
      #expect(gap < 3500, "\(outputs)")
      let lost = try ["alone", "beside"].map {
        try #require(figure("lost", of: "voices \($0)", from: end), "\(outputs)")
      }
      // The queue, of 200 ms, drops nothing: only the radio does.
      #expect(lost[1] < lost[0] + 1.5, "\(outputs)")
      let late = try ["alone", "beside"].map {
        try #require(figure("ms", of: "voices \($0)", from: end), "\(outputs)")
      }
      #expect(late[1] <= late[0] + 25, "\(outputs)")
    }
  }
}
