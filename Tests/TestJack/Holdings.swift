/// What a process holds, to be compared with what it holds later.
public struct Holdings: Sendable, CustomStringConvertible {
  /// Open file descriptors.
  public let descriptors: Int
  /// Threads of the process, all.
  public let threads: Int
  /// Mappings in its address space.
  public let mappings: Int
  /// Anonymous memory and written pages of others', resident.
  public let writtenKilobytes: Int

  init(of process: Int32) {
    descriptors = Self.lines(of: "ls", "/proc/\(process)/fd").count
    threads = Self.lines(of: "ls", "/proc/\(process)/task").count
    mappings = Self.lines(of: "cat", "/proc/\(process)/maps").count
    let anonymous = Self.lines(of: "cat", "/proc/\(process)/status").first {
      $0.hasPrefix("RssAnon:")
    }
    writtenKilobytes = anonymous.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// Whether nothing that is counted became more.
  public func isNoMore(than earlier: Holdings) -> Bool {
    descriptors <= earlier.descriptors && threads <= earlier.threads
      && mappings <= earlier.mappings
  }

  /// The figures in a line, to be read beside those of another moment.
  public var description: String {
    "\(descriptors) descriptors, \(threads) threads, \(mappings) mappings, \(writtenKilobytes) kB"
  }

  private static func lines(of program: String, _ path: String) -> [Substring] {
    TestProcess.output(program, [path]).split(separator: "\n")
  }
}
