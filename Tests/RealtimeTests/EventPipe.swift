import Glibc
import Testing

/// Stands for the eventfd, which Glibc's module does not show: what is written is 8-byte numbers all the same.
final class EventPipe {
  let writingEnd: Int32
  private let readingEnd: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    let result = unsafe pipe(&ends)
    try #require(result == 0)
    readingEnd = ends[0]
    writingEnd = ends[1]
    try #require(fcntl(readingEnd, F_SETFL, O_NONBLOCK) == 0)
  }

  deinit {
    close(readingEnd)
    close(writingEnd)
  }

  /// The sum of what was written since the last take, as an eventfd gives it.
  func take() -> UInt64 {
    var words = [UInt64](repeating: 0, count: 256)
    let bytes = unsafe read(readingEnd, &words, 8 * words.count)
    return words.prefix(max(0, bytes) / 8).reduce(0, +)
  }
}
