import TestWeb

extension FakeService.Script {
  /// An HTTP response with a content of these events.
  static func stream(_ events: [String], closes: Bool = true, wait: Int64 = 0) -> Self {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      + "Connection: close\r\n\r\n"
    return Self(
      parts: [(wait, head)] + events.map { (0, "data: \($0)\n\n") }, closes: closes)
  }

  /// An answer in pieces.
  static func answer(_ pieces: String...) -> Self {
    stream(
      pieces.map { #"{"choices":[{"index":0,"delta":{"content":"\#($0)"}}]}"# } + ["[DONE]"])
  }
}
