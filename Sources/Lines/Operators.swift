internal import Cryptography

/// What another member may set at this node.
public struct OperatorRights: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// Those bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// How loud its microphone goes out.
  public static let microphoneGain = OperatorRights(rawValue: 1)
  /// How loud what is heard.
  public static let levels = OperatorRights(rawValue: 2)
  /// Which lines it is on, its keys and their positions.
  public static let keys = OperatorRights(rawValue: 4)
  /// Closes its latched keys.
  public static let kill = OperatorRights(rawValue: 8)
  /// All of them.
  public static let all: OperatorRights = [.microphoneGain, .levels, .keys, .kill]

  private static let named: [(right: OperatorRights, word: String)] = [
    (.microphoneGain, "mic-gain"), (.levels, "levels"), (.keys, "keys"), (.kill, "kill"),
  ]

  /// Gives a member rights, or takes them; nil: it is no operator any more.
  static func set(
    _ rights: OperatorRights?, of node: NodeID, in operators: inout [NodeID: OperatorRights]
  ) throws(LineError) {
    let isKnown = operators[node] != nil
    guard rights != nil || isKnown else { throw .noOperator }
    guard rights == nil || isKnown || operators.count < LineLimits.operators else {
      throw .tooManyOperators
    }
    operators[node] = rights
  }

  /// As they are written.
  public var words: [String] { Self.named.filter { contains($0.right) }.map(\.word) }

  /// Reads them; none: all.
  ///
  /// - Throws: that one is none.
  public init(words: [String]) throws(LineError) {
    var rights: OperatorRights = words.isEmpty ? .all : []
    for word in words {
      guard let known = Self.named.first(where: { $0.word == word }) else {
        throw .badOperatorRight(word)
      }
      rights.insert(known.right)
    }
    self = rights
  }
}

/// What became of the microphone's keys when all latches were released.
public struct ReleasedKeys: Sendable, Hashable {
  /// Those that talked by a latch.
  public let released: [KeyName]
  /// Those that a finger holds down still.
  public let held: [KeyName]
  /// Those that talk always.
  public let forced: [KeyName]

  /// What happened, in a sentence.
  public var words: String { words(hiding: []) }

  /// What happened, in a sentence for somebody who may know only the number of the hidden keys.
  public func words(hiding hidden: Set<String>) -> String {
    var parts: [String] = []
    func add(_ words: String, _ keys: [KeyName]) {
      guard !keys.isEmpty else { return }
      var told = keys.map(\.text).filter { !hidden.contains($0) }
      if told.count < keys.count { told.append("\(keys.count - told.count) of private lines") }
      parts.append("\(words): " + told.joined(separator: ", "))
    }
    add("released", released)
    add("still open, held", held)
    add("still open, always", forced)
    return parts.isEmpty ? "no key was open" : parts.joined(separator: "; ")
  }
}

extension LineReader {
  /// Who may set what, as it was kept; nil: it is damaged.
  mutating func operators() -> [NodeID: OperatorRights]? {
    guard let count = number(1), count <= LineLimits.operators else { return nil }
    var operators: [NodeID: OperatorRights] = [:]
    for _ in 0..<count {
      guard let node = octets(NodeID.byteCount).flatMap(NodeID.init(octets:)),
        let rights = number(1), operators[node] == nil
      else { return nil }
      operators[node] = OperatorRights(rawValue: UInt8(rights)).intersection(.all)
    }
    return operators
  }
}
