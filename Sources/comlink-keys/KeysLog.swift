internal import Glibc
internal import System

/// What is logged: a line an event, words and the event's name, as comlinkd has it.
struct KeysLog: Sendable {
  /// The events by their names, which stay.
  enum Event: String, CaseIterable, Sendable {
    /// A device is used from now on.
    case deviceFound = "device-found"
    /// It is gone.
    case deviceGone = "device-gone"
    /// A device cannot be used.
    case deviceRefused = "device-refused"
    /// A contact is pressed more often than a hand can.
    case contactFloods = "contact-floods"
    /// It is still again.
    case contactCalm = "contact-calm"
    /// The station answers.
    case stationThere = "station-there"
    /// It does not.
    case stationAway = "station-away"
    /// It did not do what a key was pressed for.
    case keyRefused = "key-refused"
    /// The configuration cannot be used.
    case failed
    /// There is nothing to do.
    case nothingToDo = "nothing-to-do"

    /// The name of its priority (syslog(3)), and its number.
    var priority: (name: String, number: Int) {
      switch self {
      case .deviceRefused, .contactFloods, .stationAway, .keyRefused: ("warning", 4)
      case .failed: ("error", 3)
      default: ("notice", 5)
      }
    }
  }

  /// Whether standard error is the journal's, as `JOURNAL_STREAM` says (systemd.exec(5)).
  private let isJournal: Bool

  /// The log of a process with that environment.
  init(environment: [String: String]) {
    var facts = stat()
    isJournal =
      unsafe fstat(STDERR_FILENO, &facts) == 0
      && environment["JOURNAL_STREAM"] == "\(facts.st_dev):\(facts.st_ino)"
  }

  /// Writes an event.
  func note(_ event: Event, _ words: String) {
    let (name, number) = event.priority
    let head = isJournal ? "<\(number)>" : "\(name.uppercased()) "
    let line = "\(head)comlink-keys: \(Self.cleaned(words)) event=\(event.rawValue)\n"
    _ = SystemCall.write(Array(line.utf8), to: STDERR_FILENO)
  }

  /// Names of devices come from outside: nothing in them ends the line or commands the terminal.
  private static func cleaned(_ words: String) -> String {
    String(
      String.UnicodeScalarView(
        words.unicodeScalars.map { scalar in
          [.control, .format, .lineSeparator, .paragraphSeparator].contains(
            scalar.properties.generalCategory) ? "?" : scalar
        }))
  }
}
