/// Makes events of the octets of a connection, in whatever pieces they come.
///
/// Holds one event at most; more than ``SpeechLimits`` has is refused before it is held.
public struct WyomingDecoder: Sendable {
  private struct Header {
    var type: String
    var data: [String: JSONValue]
    var dataBytes: Int
    var payloadBytes: Int
  }

  private var octets: [UInt8] = []
  /// Of the first octet that was not taken yet.
  private var start = 0
  /// Up to where no line break was found.
  private var searched = 0
  private var header: Header?

  /// Begins with a connection.
  public init() {}

  /// Takes what came.
  public mutating func append(_ bytes: some Sequence<UInt8>) {
    if start > 0 {
      octets.removeFirst(start)
      searched = max(0, searched - start)
      start = 0
    }
    octets.append(contentsOf: bytes)
  }

  /// Octets that wait for the rest of their event.
  public var heldBytes: Int { octets.count - start }

  /// The next event; nil: more has to come first.
  ///
  /// - Throws: ``SpeechFault/malformed`` or ``SpeechFault/oversized``; nothing of that connection can be read any more.
  public mutating func next() throws(SpeechFault) -> WyomingEvent? {
    if header == nil {
      guard let line = try takeLine() else { return nil }
      header = try Self.header(line)
    }
    guard let header, heldBytes >= header.dataBytes + header.payloadBytes else { return nil }
    let end = start + header.dataBytes
    var data = header.data
    if header.dataBytes > 0 {
      guard case .object(let more) = try JSONValue(parsing: octets[start..<end]) else {
        throw .malformed
      }
      data.merge(more) { _, new in new }
    }
    let payload = Array(octets[end..<end + header.payloadBytes])
    start = end + header.payloadBytes
    searched = start
    self.header = nil
    return WyomingEvent(header.type, data, payload: payload)
  }

  private mutating func takeLine() throws(SpeechFault) -> ArraySlice<UInt8>? {
    guard let end = octets[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = octets.count
      guard heldBytes <= SpeechLimits.lineBytes else { throw .oversized }
      return nil
    }
    guard end - start <= SpeechLimits.lineBytes else { throw .oversized }
    defer {
      start = end + 1
      searched = start
    }
    return octets[start..<end]
  }

  private static func header(_ line: ArraySlice<UInt8>) throws(SpeechFault) -> Header {
    let value = try JSONValue(parsing: line)
    guard let type = value["type"]?.text, !type.isEmpty, type.utf8.count <= 64 else {
      throw .malformed
    }
    var data: [String: JSONValue] = [:]
    switch value["data"] {
    case .object(let members)?: data = members
    case nil, .null?: break
    default: throw .malformed
    }
    return Header(
      type: type, data: data,
      dataBytes: try length(value["data_length"], most: SpeechLimits.dataBytes),
      payloadBytes: try length(value["payload_length"], most: SpeechLimits.payloadBytes))
  }

  private static func length(_ value: JSONValue?, most: Int) throws(SpeechFault) -> Int {
    guard let value, value != .null else { return 0 }
    guard let count = value.count, count >= 0 else { throw .malformed }
    guard count <= most else { throw .oversized }
    return count
  }
}
