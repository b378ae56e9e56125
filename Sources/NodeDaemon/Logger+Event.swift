internal import Logging

extension Logger {
  /// The key of an event's name, which comes first of all that stands behind the words.
  static let eventKey = "event"

  /// Logs what happened, on one line: words for people, then `event=NAME` and facts as `key=value` for programs that read the log.
  ///
  /// - Parameters:
  ///   - name: stays the same from version to version, whatever the words; README has the list.
  ///   - facts: names, addresses and figures, also where the words have them.
  func event(_ name: String, _ level: Level, _ message: Message, _ facts: Metadata = [:]) {
    log(level: level, message, metadata: facts.merging([Self.eventKey: "\(name)"]) { $1 })
  }
}
