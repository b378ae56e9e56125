public import Cryptography

/// Texts of others that are to be spoken at this node's ear, one after the other.
///
/// Nobody talks the others down: ``mostOfOne`` of a sender wait at most, ``most`` in all, each has ``mostCharacters``,
/// and what is old is read and not heard, so that a network that comes back does not recite its backlog.
public struct AloudQueue: Sendable {
  /// Characters of a text that are spoken: some half a minute.
  public static let mostCharacters = 500
  /// Texts of one sender that wait.
  public static let mostOfOne = 4
  /// Texts that wait.
  public static let most = 16
  /// A text that is older when it comes is not spoken.
  public static let freshSeconds: UInt32 = 30
  /// Nor one that waited longer.
  static let patienceNanoseconds: Int64 = 60_000_000_000

  /// Why a text is not spoken.
  public enum Fault: String, Error, Hashable, Sendable, CaseIterable {
    /// It was written long ago.
    case old
    /// Its sender says more than can be spoken.
    case flood
    /// All together do.
    case full
    /// Others took so long that it is of no use any more.
    case late
    /// There is neither letter nor digit in it.
    case wordless
  }

  /// A text, as it is spoken.
  public struct Text: Hashable, Sendable {
    /// Who wrote it.
    public let sender: NodeID
    /// Without control characters.
    public let words: String
    fileprivate let endNanoseconds: Int64
  }

  /// Texts that were not spoken, by reason.
  public private(set) var faults: [Fault: Int] = [:]
  private var texts: [Text] = []

  /// An empty one.
  public init() {}

  /// How many wait.
  public var count: Int { texts.count }

  /// A text is to be spoken.
  ///
  /// - Parameter ageSeconds: since it was written.
  /// - Throws: why it is not; it is counted.
  public mutating func add(
    _ text: String, by sender: NodeID, ageSeconds: UInt32, nowNanoseconds now: Int64
  ) throws(Fault) {
    let words = Self.words(of: text)
    let own = texts.count { $0.sender == sender }
    if ageSeconds > Self.freshSeconds { throw noted(.old) }
    if !words.contains(where: { $0.isLetter || $0.isNumber }) { throw noted(.wordless) }
    if own >= Self.mostOfOne { throw noted(.flood) }
    if texts.count >= Self.most { throw noted(.full) }
    texts.append(
      Text(sender: sender, words: words, endNanoseconds: now + Self.patienceNanoseconds))
  }

  /// What is to be spoken next; nil: nothing waits.
  ///
  /// - Parameter late: told of each that waited too long.
  public mutating func next(
    nowNanoseconds now: Int64, late: (Text) -> Void = { _ in }
  ) -> Text? {
    while !texts.isEmpty {
      let text = texts.removeFirst()
      if now < text.endNanoseconds { return text }
      _ = noted(.late)
      late(text)
    }
    return nil
  }

  private mutating func noted(_ fault: Fault) -> Fault {
    faults[fault, default: 0] += 1
    return fault
  }

  /// On one line, without what nobody can say, and cut after a word.
  private static func words(of text: String) -> String {
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .format: continue
      case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        clean.append(" ")
      default: clean.append(scalar)
      }
    }
    let words = String(clean).split(separator: " ")
    var spoken = ""
    for word in words {
      guard spoken.count + 1 + word.count <= mostCharacters else {
        return spoken.isEmpty ? String(word.prefix(mostCharacters)) : spoken
      }
      spoken += (spoken.isEmpty ? "" : " ") + word
    }
    return spoken
  }
}

extension AloudQueue.Fault {
  /// For people, after whose text it was.
  public var words: String {
    switch self {
    case .old: "it was written more than \(AloudQueue.freshSeconds) s ago"
    case .flood: "\(AloudQueue.mostOfOne) texts of that member already wait"
    case .full: "\(AloudQueue.most) texts already wait"
    case .late: "others took too long"
    case .wordless: "there is no word in it"
    }
  }
}
