internal import Keys
internal import Remote

/// The station's keys, as its document tells of them (see STATUS.md, Changes), under the names that a panel uses.
struct StationKeys {
  /// The key of line `all`, whatever the station calls it; a key that is called so itself comes first.
  static let talk = "talk"

  /// As the station writes them, by their names in lower case: to it upper and lower case are the same.
  private var names: [String: String] = [:]
  /// What they show.
  private(set) var tally = Tally()

  /// Those of a station that has told nothing.
  init() {}

  /// Those of a document.
  init(_ document: JSONTree) {
    if case .array(let announcers) = document["calls"]?["announcers"] {
      tally.isAnnouncing = !announcers.isEmpty
    }
    guard case .array(let keys) = document["keys"] else { return }
    var ofAll: [String] = []
    for key in keys {
      guard case .text(let name) = key["name"] else { continue }
      names[name.lowercased()] = name
      tally[name] = KeyTally(key)
      if key["lines"] == .array([.text("all")]) { ofAll.append(name) }
    }
    // As `comlink talk` chooses.
    guard names[Self.talk] == nil, let name = ofAll.first(where: { $0 == "all" }) ?? ofAll.first
    else { return }
    names[Self.talk] = name
    tally[Self.talk] = tally[name]
  }

  /// What the station calls a key; one that it does not have is called as it is, and the station says so.
  func name(of key: String) -> String { names[key.lowercased()] ?? key }
}

extension KeyTally {
  /// What one of the document's keys shows; a word of `tally` that is not known shows nothing.
  fileprivate init(_ key: JSONTree) {
    let shown = key["tally"]
    self.init(
      isTalking: [.text("talk"), .text("talk-listen")].contains(shown),
      isListening: [.text("listen"), .text("talk-listen")].contains(shown),
      isCalled: key["isCalled"] == .bool(true), isInUse: key["isPresent"] == .bool(true))
    if case .integer(let milliseconds) = key["latchMilliseconds"] {
      latch = .milliseconds(milliseconds)
    }
  }
}
