/// Takes a stream of server-sent events apart (WHATWG HTML, §9.2.6): the data of each event.
///
/// Names, numbers and waiting times of events are of no use here. Lines end in CR, LF or both; pieces may be cut
/// anywhere.
struct EventStreamParser {
  private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var endedInReturn = false
  private var isFirstLine = true

  /// Takes what came.
  ///
  /// - Returns: the data of the events that are complete now.
  mutating func take(_ bytes: some Sequence<UInt8>) throws(ChatFault) -> [[UInt8]] {
    var events: [[UInt8]] = []
    for byte in bytes {
      let isSecond = endedInReturn && byte == Self.lineFeed
      endedInReturn = byte == Self.carriageReturn
      if isSecond { continue }
      if byte == Self.lineFeed || byte == Self.carriageReturn {
        if let event = try endLine() { events.append(event) }
        continue
      }
      guard line.count < ChatLimits.lineBytes else { throw .tooLong("a line of the stream") }
      line.append(byte)
    }
    return events
  }

  /// The stream is over: servers that leave the last blank line out mean the event all the same.
  mutating func finish() throws(ChatFault) -> [UInt8]? {
    if !line.isEmpty { _ = try endLine() }
    return takeEvent()
  }

  /// - Returns: the event that an empty line ends.
  private mutating func endLine() throws(ChatFault) -> [UInt8]? {
    defer {
      line.removeAll(keepingCapacity: true)
      isFirstLine = false
    }
    var rest = line[...]
    if isFirstLine, rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    guard !rest.isEmpty else { return takeEvent() }
    let name = Array("data".utf8)
    guard rest.starts(with: name) else { return nil }
    rest = rest.dropFirst(name.count)
    if let colon = rest.first {
      guard colon == UInt8(ascii: ":") else { return nil }
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
    }
    if hasData { data.append(Self.lineFeed) }
    guard data.count + rest.count <= ChatLimits.lineBytes else {
      throw .tooLong("an event of the stream")
    }
    data += rest
    hasData = true
    return nil
  }

  private mutating func takeEvent() -> [UInt8]? {
    defer {
      data = []
      hasData = false
    }
    return hasData ? data : nil
  }
}
