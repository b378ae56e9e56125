internal import Glibc
internal import Logging
internal import System

/// Writes log events to standard error: for people, or for systemd's journal.
struct StandardErrorLog: Sendable {
  /// How events look.
  enum Style: Sendable {
    /// `LEVEL area: message key=value`
    case terminal
    /// The same without the level, after its priority, `<6>` (sd-daemon(3));
    /// on one line, as each line is an entry of its own.
    case journal
  }

  /// How events look.
  var style: Style
  /// What goes before the message: which part of the daemon speaks.
  var area: String
  /// Where the lines go.
  var write: @Sendable ([UInt8]) -> Void = Self.writeToStandardError

  /// The least that is written; shared by the loggers of an area.
  var threshold = LogThreshold(.info)
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  /// A log of that style for a part of the daemon.
  init(
    style: Style, area: String, write: @escaping @Sendable ([UInt8]) -> Void = writeToStandardError
  ) {
    self.style = style
    self.area = area
    self.write = write
  }

  /// Journal style if standard error is the journal's, as systemd says in `JOURNAL_STREAM` (the device
  /// and inode; systemd.exec(5)): a daemon started by hand from a unit's shell inherits the variable
  /// but not the stream.
  static func style(environment: [String: String]) -> Style {
    var facts = stat()
    guard let stream = environment["JOURNAL_STREAM"], unsafe fstat(STDERR_FILENO, &facts) == 0
    else { return .terminal }
    return stream == "\(facts.st_dev):\(facts.st_ino)" ? .journal : .terminal
  }

  /// The priority of a level (syslog(3)).
  static func priority(of level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  /// The event with its start and its end: in the journal a line, else as many as the message has.
  func text(of event: LogEvent) -> String {
    let facts = metadata.merging(metadataProvider?.get() ?? [:]) { _, new in new }
      .merging(event.metadata ?? [:]) { _, new in new }
    var details = ""
    let keys = facts.keys.sorted()
    for key in keys.filter({ $0 == Logger.eventKey }) + keys.filter({ $0 != Logger.eventKey }) {
      details += " \(key)=\(Self.quoted("\(facts[key] ?? "")"))"
    }
    if let error = event.error { details += " error=\(Self.quoted("\(error)"))" }
    let lines = "\(event.message)".split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.cleaned(String($0)) }
    switch style {
    case .terminal:
      let start = "\(event.level.rawValue.uppercased()) \(area): "
      return (lines.dropLast() + [(lines.last ?? "") + details]).map { start + $0 + "\n" }.joined()
    case .journal:
      let message = lines.joined(separator: "; ")
      return "<\(Self.priority(of: event.level))>\(area): \(message)\(details)\n"
    }
  }

  /// Words may come from other nodes: nothing in them ends the line or commands the terminal.
  private static func cleaned(_ raw: String) -> String {
    String(
      String.UnicodeScalarView(
        raw.unicodeScalars.map { scalar in
          [.control, .format, .lineSeparator, .paragraphSeparator].contains(
            scalar.properties.generalCategory) ? "?" : scalar
        }))
  }

  private static func quoted(_ raw: String) -> String {
    let text = cleaned(raw)
    guard text.isEmpty || text.contains(where: { $0.isWhitespace || $0 == "\"" }) else {
      return text
    }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// One write an event, so that lines of several threads do not mix.
  private static func writeToStandardError(_ bytes: [UInt8]) {
    // Nobody reads: there is no better place to say so.
    _ = SystemCall.write(bytes, to: STDERR_FILENO)
  }
}

extension StandardErrorLog: LogHandler {
  /// Setting it makes this logger's level its own, as swift-log asks for.
  var logLevel: Logger.Level {
    get { threshold.level }
    set { threshold = LogThreshold(newValue) }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { write(Array(text(of: event).utf8)) }
}
