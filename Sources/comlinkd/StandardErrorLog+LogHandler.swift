internal import Logging

extension StandardErrorLog: LogHandler {
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { write(Array(text(of: event).utf8)) }
}
