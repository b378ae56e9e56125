import Foundation
import Glibc
import TestRig

/// A `comlink-discover` that is told what to do, and asked what it saw.
final class DiscoveryNode: Sendable {
  /// A line of its output.
  struct Line: CustomStringConvertible {
    let milliseconds: Int64
    let words: String
    var description: String { "\(milliseconds) \(words)" }
  }

  struct Missed: Error, CustomStringConvertible {
    let description: String
  }

  let process: ChildProcess
  private let commands: FileHandle

  init(
    _ prefix: [String], number: Int, name: String, groups: String, environment: [String: String],
    outputPath: String
  ) throws {
    let pipe = Pipe()
    let words =
      prefix + [
        try Executables.path(of: "comlink-discover"), "\(number)", name, "500\(number)", groups,
      ]
    process = try ChildProcess(
      words[0], Array(words.dropFirst()), environment: environment, outputPath: outputPath,
      standardInput: pipe.fileHandleForReading.fileDescriptor)
    commands = pipe.fileHandleForWriting
  }

  deinit {
    // The end of its input ends it in order.
    try? commands.close()
  }

  /// Gives it a command; the time of it.
  @discardableResult
  func tell(_ command: String) throws -> Int64 {
    let time = monotonicNanoseconds() / 1_000_000
    try commands.write(contentsOf: Data("\(command)\n".utf8))
    return time
  }

  /// Everything it said.
  var lines: [Line] {
    process.output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
      return Line(milliseconds: time, words: String(parts[1]))
    }
  }

  /// Whether the last it said of a node is that it is there.
  func knows(_ number: Int) -> Bool {
    let last = lines.last {
      $0.words.hasPrefix("found \(number) ") || $0.words == "lost \(number)"
    }
    return last?.words.hasPrefix("found") ?? false
  }

  /// When it started.
  var started: Int64 { lines.first?.milliseconds ?? 0 }

  /// The first line of a kind since a time.
  @discardableResult
  func line(
    since time: Int64 = 0, within seconds: Double = 6, _ isIt: (String) -> Bool
  ) throws -> Line {
    let deadline = monotonicNanoseconds() + Int64(seconds * 1e9)
    while true {
      if let line = lines.first(where: { $0.milliseconds >= time && isIt($0.words) }) {
        return line
      }
      guard monotonicNanoseconds() < deadline else {
        throw Missed(description: "not seen since \(time):\n\(process.output)")
      }
      usleep(10_000)
    }
  }
}
