internal import FoundationEssentials

/// Values as lines of JSON, and back.
public enum JSONLine {
  /// The value as JSON on one line, without the line end; keys are sorted.
  ///
  /// Throws ``RemoteError/malformed(_:)`` for numbers that JSON does not have.
  public static func encode(_ value: some Encodable) throws(RemoteError) -> [UInt8] {
    try encode(value, formatting: [])
  }

  /// The value as JSON for people: several lines, indented, keys sorted.
  public static func pretty(_ value: some Encodable) throws(RemoteError) -> String {
    String(decoding: try encode(value, formatting: .prettyPrinted), as: UTF8.self)
  }

  /// Reads a value from a line.
  ///
  /// What is wrong with it is told in words.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from line: [UInt8]
  ) throws(RemoteError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(line))
    } catch let error as DecodingError {
      throw .malformed(words(for: error))
    } catch {
      throw .malformed("not a JSON object")
    }
  }

  private static func encode(
    _ value: some Encodable, formatting: JSONEncoder.OutputFormatting
  ) throws(RemoteError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
    do {
      return [UInt8](try encoder.encode(value))
    } catch {
      throw .malformed("a value in the response is not a number")
    }
  }

  private static func words(for error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): return "field \"\(key.stringValue)\" is missing"
    case .typeMismatch(let type, let context):
      guard let key = context.codingPath.last else { return "not a JSON object" }
      return "field \"\(key.stringValue)\" must be a \(word(for: type))"
    case .valueNotFound(_, let context):
      return "field \"\(context.codingPath.last?.stringValue ?? "")\" must not be null"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty ? "not a JSON object" : context.debugDescription
    @unknown default: return "not understood"
    }
  }

  private static func word(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is Double.Type, is Int.Type: "number"
    default: "\(type)"
    }
  }
}
