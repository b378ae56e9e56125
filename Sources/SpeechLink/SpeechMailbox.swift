internal import Synchronization

/// What a call brings, on its way from the connection's thread to the one who asked.
///
/// One reader. While something waits for it, nothing more is read from the service.
final class SpeechMailbox<News: Sendable>: Sendable {
  private struct Box {
    var news: [News] = []
    var isEnded = false
    var reader: CheckedContinuation<[News]?, Never>?
  }

  private let box = Mutex(Box())

  /// Puts news there.
  ///
  /// - Parameter isLast: nothing more comes.
  /// - Returns: whether the reader has all.
  func put(_ news: [News], isLast: Bool) -> Bool {
    let (reader, taken) = box.withLock {
      box -> (CheckedContinuation<[News]?, Never>?, [News]?) in
      box.news += news
      box.isEnded = box.isEnded || isLast
      guard let reader = box.reader, !box.news.isEmpty || box.isEnded else { return (nil, nil) }
      box.reader = nil
      return (reader, Self.take(&box))
    }
    reader?.resume(returning: taken)
    return box.withLock { $0.news.isEmpty }
  }

  /// All news since the last call, at least one; nil: nothing more comes.
  func next() async -> [News]? {
    await withCheckedContinuation { continuation in
      let answer = box.withLock { box -> [News]?? in
        precondition(box.reader == nil, "a call has one reader")
        guard box.news.isEmpty && !box.isEnded else { return .some(Self.take(&box)) }
        box.reader = continuation
        return .none
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  private static func take(_ box: inout Box) -> [News]? {
    guard !box.news.isEmpty else { return nil }
    defer { box.news = [] }
    return box.news
  }
}
