internal import FoundationEssentials

/// A value of JSON (RFC 8259), as it came.
public enum JSONValue: Hashable, Sendable {
  /// An object.
  case object([String: JSONValue])
  /// An array.
  case array([JSONValue])
  /// Text.
  case string(String)
  /// A whole number.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// True or false.
  case boolean(Bool)
  /// Nothing.
  case null

  private static let deepest = 16

  /// Reads one value.
  ///
  /// - Throws: ``SpeechFault/malformed`` where the octets are none.
  init(parsing octets: some Sequence<UInt8>) throws(SpeechFault) {
    guard Self.isShallow(octets) else { throw .malformed }
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(octets)) else {
      throw .malformed
    }
    self = value
  }

  /// Whether objects and arrays are nested no deeper than any event needs: to read them takes stack.
  private static func isShallow(_ octets: some Sequence<UInt8>) -> Bool {
    var depth = 0
    var (isText, isEscaped) = (false, false)
    for octet in octets {
      if isText {
        if isEscaped {
          isEscaped = false
        } else if octet == UInt8(ascii: "\\") {
          isEscaped = true
        } else if octet == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch octet {
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: continue
      }
      guard depth <= deepest else { return false }
    }
    return true
  }

  /// The value as octets, without a line break.
  var octets: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A number that JSON has no word for: nothing of this module makes one.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("null".utf8)
  }

  /// The member of an object; nil: it has none, or is none.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// Its text.
  public var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// Its whole number.
  public var count: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .number(let number): Int(exactly: number)
    default: nil
    }
  }

  /// Its number.
  public var fraction: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    default: nil
    }
  }

  /// Its elements; empty: it is no array.
  public var elements: [JSONValue] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }
}

extension JSONValue: Codable {
  /// Decodes any value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let isTrue = try? container.decode(Bool.self) {
      self = .boolean(isTrue)
    } else if container.decodeNil() {
      self = .null
    } else if let elements = try? container.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Encodes the value as it is.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let members): try container.encode(members)
    case .array(let elements): try container.encode(elements)
    case .string(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .boolean(let isTrue): try container.encode(isTrue)
    case .null: try container.encodeNil()
    }
  }
}
