internal import Logging

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
