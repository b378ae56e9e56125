import Foundation
import Remote
import StatusSchema
import Synchronization
import TestRig

/// What a node shows of captions, and when: each version of each chunk as it comes.
final class CaptionWatch: Sendable {
  /// A chunk as it was shown at a time.
  struct Sight: Sendable {
    let seconds: Double
    let chunk: CaptionStatus
  }

  private struct Seen {
    var sights: [Sight] = []
    var isOver = false
  }

  private let seen = Mutex(Seen())

  /// Looks from now on, by requests that wait.
  init(_ node: NodeProcess) {
    let path = node.controlPath
    Thread.detachNewThread { [self] in look(path) }
  }

  private func look(_ path: String) {
    var query = CaptionQuery()
    (query.after, query.limit, query.waitSeconds) = (0, 500, 1)
    do {
      var client = try ControlClient(path: path, timeout: .seconds(30))
      while !seen.withLock({ $0.isOver }) {
        let answer = try client.request(.captions(.show(query)))
        guard case .captions(let chunks) = answer else { return }
        let now = ProcessInfo.processInfo.systemUptime
        seen.withLock { $0.sights += chunks.map { Sight(seconds: now, chunk: $0) } }
        query.after = chunks.map(\.number).max() ?? query.after
      }
    } catch {
      Console.line("  \(path): \(error)")
    }
  }

  /// All that was seen so far, in its order.
  var sights: [Sight] { seen.withLock { $0.sights } }

  /// Looks no more.
  func end() { seen.withLock { $0.isOver = true } }
}

/// Words that were read aloud, compared with those that were shown.
struct CaptionJudge {
  /// A word of the text, and when it ended in the recording; nil: nobody knows.
  struct Word {
    let plain: String
    let endSeconds: Double?
  }

  let words: [Word]

  /// What `corpus.py` wrote.
  init(path: String) throws(RigError) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw .missing(what: path, hint: "./dev bench captions makes it")
    }
    words = text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      return parts.count == 2 ? Word(plain: String(parts[1]), endSeconds: Double(parts[0])) : nil
    }
  }

  /// What was understood, and how soon each word of it was there and stayed, seconds after its end.
  struct Verdict {
    var errors = 0
    var shown: [Double] = []
    var settled: [Double] = []
    /// From the end of an utterance's last word until it is final.
    var final: [Double] = []
  }

  /// - Parameter began: when the recording began to be said, by the clock of the sights.
  func judge(_ sights: [CaptionWatch.Sight], began: Double) -> Verdict {
    var verdict = Verdict()
    let said = sights.filter { $0.chunk.isMarker != true && $0.chunk.isAlert != true }
    let versions = Dictionary(grouping: said) { "\($0.chunk.session) \($0.chunk.index)" }
    let order = versions.values.compactMap(\.last).sorted {
      $0.chunk.startSeconds < $1.chunk.startSeconds
    }
    var heard: [(word: String, sights: [CaptionWatch.Sight], position: Int)] = []
    for last in order {
      let all = versions["\(last.chunk.session) \(last.chunk.index)"] ?? []
      for (position, word) in Self.plain(last.chunk.text).enumerated() {
        heard.append((word, all, position))
      }
    }
    let matches = match(heard.map(\.word), &verdict.errors)
    var lasts: [String: (end: Double, final: Double?)] = [:]
    for (index, place) in matches {
      guard let end = words[index].endSeconds else { continue }
      let (word, all, position) = heard[place]
      let has = all.map { Self.has($0.chunk.text, word, at: position) }
      if let first = has.firstIndex(of: true) {
        verdict.shown.append(all[first].seconds - began - end)
      }
      let settled = (has.lastIndex(of: false) ?? -1) + 1
      if settled < all.count { verdict.settled.append(all[settled].seconds - began - end) }
      guard let chunk = all.first?.chunk else { continue }
      let final = all.first { $0.chunk.isFinal }?.seconds
      lasts["\(chunk.session) \(chunk.index)"] = (end, final)
    }
    for (end, final) in lasts.values { verdict.final.append((final ?? .nan) - began - end) }
    return verdict
  }

  /// Whether a version has a word where the last one has it, or one beside.
  private static func has(_ text: String, _ word: String, at position: Int) -> Bool {
    let words = plain(text)
    return (max(0, position - 1)..<max(0, position + 2)).contains {
      $0 < words.count && words[$0] == word
    }
  }

  /// The best alignment: errors are words that are wrong, missing or too many.
  private func match(_ heard: [String], _ errors: inout Int) -> [(Int, Int)] {
    var costs = [[Int]](
      repeating: [Int](repeating: 0, count: heard.count + 1), count: words.count + 1)
    for one in 0...words.count { costs[one][0] = one }
    for other in 0...heard.count { costs[0][other] = other }
    for one in words.indices {
      for other in heard.indices {
        let change = words[one].plain == heard[other] ? 0 : 1
        costs[one + 1][other + 1] = min(
          costs[one][other] + change, costs[one][other + 1] + 1, costs[one + 1][other] + 1)
      }
    }
    errors = costs[words.count][heard.count]
    var (found, one, other) = ([(Int, Int)](), words.count, heard.count)
    while one > 0, other > 0 {
      let change = words[one - 1].plain == heard[other - 1] ? 0 : 1
      if costs[one][other] == costs[one - 1][other - 1] + change {
        (one, other) = (one - 1, other - 1)
        if change == 0 { found.append((one, other)) }
      } else if costs[one][other] == costs[one - 1][other] + 1 {
        one -= 1
      } else {
        other -= 1
      }
    }
    return found.reversed()
  }

  /// Words as they are compared, and as the text has them.
  static func plain(_ text: String) -> [String] {
    text.split { $0.isWhitespace || $0 == "-" }.compactMap { word in
      let letters = word.lowercased().filter { $0.isLetter || $0.isNumber }
      return letters.isEmpty ? nil : letters == "mr" ? "mister" : letters
    }
  }
}
