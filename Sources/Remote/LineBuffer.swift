/// Bytes as they come in, cut into lines of bounded length.
package struct LineBuffer {
  /// What the buffer holds next.
  package enum Next: Equatable {
    /// A whole line, without its end.
    case line([UInt8])
    /// A line that is already longer than the limit.
    case tooLong
    /// No whole line yet.
    case nothing
  }

  private let limitBytes: Int
  private var bytes: [UInt8] = []
  /// Where the first line not yet taken out starts.
  private var start = 0
  /// How far `bytes` has been searched for a line end, so that a line sent byte by byte is not
  /// searched from its start each time.
  private var searched = 0

  /// A buffer for lines of at most `limitBytes` bytes.
  package init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Takes what came in.
  package mutating func append(_ more: some Sequence<UInt8>) {
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes.append(contentsOf: more)
  }

  /// Takes out the next whole line.
  package mutating func next() -> Next {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      return bytes.count - start > limitBytes ? .tooLong : .nothing
    }
    let line = bytes[start..<end]
    start = end + 1
    searched = start
    return line.count > limitBytes ? .tooLong : .line(Array(line))
  }

  /// Takes out what is left when no more can come: a last line without its end.
  package mutating func rest() -> Next {
    let line = bytes[start...]
    start = bytes.count
    searched = start
    return line.isEmpty ? .nothing : .line(Array(line))
  }
}
