import Glibc

/// A file that says when no frame reached which node: a line for each drought, the node's name and its begin and end in
/// nanoseconds of CLOCK_MONOTONIC.
final class DroughtFile {
  private let descriptor: Int32
  private let path: String

  /// Makes the file, or empties it.
  ///
  /// - Throws: `LinkError.system`.
  init(path: String) throws(LinkError) {
    self.path = path
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(attempt: "write to \(path)", errorNumber: errno)
    }
  }

  deinit { close(descriptor) }

  /// Writes the droughts of the links to nodes.
  ///
  /// - Throws: `LinkError.system`.
  func write(_ droughts: [[Range<Int64>]], to nodes: [String]) throws(LinkError) {
    let lines = zip(nodes, droughts).flatMap { node, droughts in
      droughts.map { "\(node) \($0.lowerBound) \($0.upperBound)\n" }
    }
    var rest = Array(lines.joined().utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw .system(attempt: "write to \(path)", errorNumber: errno) }
      rest = rest.dropFirst(count)
    }
  }
}
