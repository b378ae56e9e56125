internal import Cryptography

/// Words of one talker that two captioners wrote down at once, as while one hands over to another: they are shown once.
///
/// What was said is known by who, when and what: of chunks of one talker whose times overlap, the words that the one
/// before has too are left out, in the order of parts or sessions, which is the same at everybody. So transcripts of
/// equal parts stay equal, and words that only one of them heard stay. All else is kept as its captioner made it.
enum DoubledWords {
  /// Clocks of captioners, and where they begin to hear an utterance, differ by less.
  private static let slackMilliseconds: Int64 = 1000
  /// Chunks on both sides of where one is looked for, as they are only nearly in the order of their times.
  private static let reach = 32
  private static let mostWords = 400

  /// A transcript, and by how much its times are later than those of the chunk that is looked at, milliseconds.
  typealias Former = (transcript: CaptionTranscript, laterMilliseconds: Int64)

  /// A chunk without the words that those before have; nil: they have all of it.
  static func rest(of chunk: CaptionChunk, after formers: [Former]) -> CaptionChunk? {
    guard !chunk.isMarker, !chunk.text.isEmpty else { return chunk }
    var rest = chunk
    for former in formers {
      let known = chunks(like: chunk, in: former)
      guard let first = known.first else { continue }
      let start = Int64(chunk.startMilliseconds) - former.laterMilliseconds
      let end = start + Int64(chunk.durationMilliseconds)
      let lastEnd = known.map(\.endMilliseconds).max() ?? 0
      let text = self.rest(
        of: rest.text, knowing: known.map(\.text).joined(separator: " "),
        beginsBefore: start < Int64(first.startMilliseconds) - slackMilliseconds,
        endsAfter: end > lastEnd + slackMilliseconds)
      guard let text else { return nil }
      rest.text = text
    }
    return rest
  }

  /// What the same talker said in that time, in its order.
  private static func chunks(like chunk: CaptionChunk, in former: Former) -> [CaptionChunk] {
    let transcript = former.transcript
    let start = Int64(chunk.startMilliseconds) - former.laterMilliseconds - slackMilliseconds
    let end = start + Int64(chunk.durationMilliseconds) + 2 * slackMilliseconds
    guard start <= transcript.endMilliseconds, let last = transcript.lastIndex else { return [] }
    let place = self.place(of: start, in: transcript, last)
    return (max(0, place - reach)...min(Int(last), place + reach)).compactMap {
      guard let other = transcript.chunks[UInt32($0)], !other.isMarker,
        other.talker.node == chunk.talker.node, !other.text.isEmpty,
        Int64(other.startMilliseconds) < end, other.endMilliseconds > start
      else { return nil }
      return other
    }
    .sorted { ($0.startMilliseconds, $0.index) < ($1.startMilliseconds, $1.index) }
  }

  /// About the first index from that time on.
  private static func place(
    of milliseconds: Int64, in transcript: CaptionTranscript, _ last: UInt32
  ) -> Int {
    var (low, high) = (0, Int(last) + 1)
    while low < high {
      let middle = (low + high) / 2
      let there = (middle..<high).lazy.compactMap { transcript.chunks[UInt32($0)] }.first
      guard let there else {
        high = middle
        continue
      }
      if Int64(there.startMilliseconds) < milliseconds {
        low = Int(there.index) + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// A text without words that are known; nil: all are.
  ///
  /// - Parameters:
  ///   - beginsBefore: whether it begins before what is known: then words before the first known one are new.
  ///   - endsAfter: whether it ends after it.
  static func rest(
    of text: String, knowing other: String, beginsBefore: Bool, endsAfter: Bool
  ) -> String? {
    let said = text.split(whereSeparator: \.isWhitespace)
    let (words, known) = (plain(text), plain(other))
    // A sign that stands alone is no word: such a text is kept whole, or goes whole.
    guard !words.isEmpty, !known.isEmpty else { return text }
    let matches = matches(of: words, in: known)
    if let first = matches.first, let last = matches.last, 2 * matches.count >= words.count {
      guard said.count == words.count else { return nil }
      let kept = (beginsBefore ? said[..<first] : []) + (endsAfter ? said[(last + 1)...] : [])
      return kept.isEmpty ? nil : kept.joined(separator: " ")
    }
    guard said.count == words.count else { return text }
    for count in stride(from: min(words.count, known.count), to: 1, by: -1) {
      if words.prefix(count).elementsEqual(known.suffix(count)) {
        return said.dropFirst(count).joined(separator: " ")
      }
      if words.suffix(count).elementsEqual(known.prefix(count)) {
        return said.dropLast(count).joined(separator: " ")
      }
    }
    return text
  }

  private static func plain(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).prefix(mostWords).compactMap { word in
      let letters = word.lowercased().filter { $0.isLetter || $0.isNumber }
      return letters.isEmpty ? nil : letters
    }
  }

  /// Which words are among the known ones in their order, as many as can be.
  private static func matches(of words: [String], in known: [String]) -> [Int] {
    var lengths = [[Int]](
      repeating: [Int](repeating: 0, count: known.count + 1), count: words.count + 1)
    for one in words.indices.reversed() {
      for other in known.indices.reversed() {
        lengths[one][other] =
          words[one] == known[other]
          ? lengths[one + 1][other + 1] + 1
          : max(lengths[one + 1][other], lengths[one][other + 1])
      }
    }
    var (found, one, other) = ([Int](), 0, 0)
    while one < words.count, other < known.count {
      if words[one] == known[other] {
        found.append(one)
        (one, other) = (one + 1, other + 1)
      } else if lengths[one + 1][other] >= lengths[one][other + 1] {
        one += 1
      } else {
        other += 1
      }
    }
    return found
  }
}

extension CaptionChunk {
  var endMilliseconds: Int64 { Int64(startMilliseconds) + Int64(durationMilliseconds) }
}
