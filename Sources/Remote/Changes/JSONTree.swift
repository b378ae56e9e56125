/// A JSON value that can be compared, merged and written; objects have no order of their own.
public enum JSONTree: Sendable, Hashable {
  /// Nothing; in a merge patch: what was there goes.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// Another number; written as 0 where it is infinite or none.
  case number(Double)
  /// A text.
  case text(String)
  /// Values in order.
  case array([JSONTree])
  /// Values by name.
  case object([String: JSONTree])

  /// The value as JSON on one line, without the line end; keys are sorted.
  public var line: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1024)
    write(to: &bytes)
    return bytes
  }

  /// The value of a member; nil: this is no object, or has none of that name.
  public subscript(key: String) -> JSONTree? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes += "null".utf8
    case .bool(let isTrue): bytes += (isTrue ? "true" : "false").utf8
    case .integer(let number): bytes += "\(number)".utf8
    case .number(let number): bytes += (number.isFinite ? "\(number)" : "0").utf8
    case .text(let text): Self.write(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// RFC 8259 §7: quotation marks, backslashes and control characters are escaped.
  private static func write(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

/// Merge patches (RFC 7396).
extension JSONTree {
  /// What makes `former` this value, as a merge patch; nil: they are equal.
  ///
  /// Neither may have a ``null``, which a merge patch cannot set.
  public func patch(from former: JSONTree) -> JSONTree? {
    guard case .object(let new) = self, case .object(let old) = former else {
      return self == former ? nil : self
    }
    var changes: [String: JSONTree] = [:]
    for (key, value) in new {
      guard let before = old[key] else {
        changes[key] = value
        continue
      }
      if let change = value.patch(from: before) { changes[key] = change }
    }
    for key in old.keys where new[key] == nil { changes[key] = .null }
    return changes.isEmpty ? nil : .object(changes)
  }

  /// One merge patch that does what this one and then another do.
  ///
  /// Neither makes an object of what the other takes away or makes something else of: no one patch can.
  func followed(by patch: JSONTree) -> JSONTree {
    guard case .object(var members) = self, case .object(let changes) = patch else { return patch }
    for (key, change) in changes {
      members[key] = members[key]?.followed(by: change) ?? change
    }
    return .object(members)
  }

  /// Applies a merge patch (RFC 7396 §2).
  public mutating func merge(_ patch: JSONTree) {
    guard case .object(let changes) = patch else {
      self = patch
      return
    }
    var members: [String: JSONTree] = [:]
    if case .object(let former) = self { members = former }
    self = .null
    for (key, change) in changes {
      if change == .null {
        members[key] = nil
      } else {
        members[key, default: .object([:])].merge(change)
      }
    }
    self = .object(members)
  }
}

extension JSONTree: Decodable {
  /// Reads any JSON.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Double.self) {
      let isWhole = number == number.rounded() && abs(number) < 0x1p53
      self = isWhole ? .integer(Int64(number)) : .number(number)
    } else if let members = try? value.decode([String: JSONTree].self) {
      self = .object(members)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let isTrue = try? value.decode(Bool.self) {
      self = .bool(isTrue)
    } else if value.decodeNil() {
      self = .null
    } else {
      self = .array(try value.decode([JSONTree].self))
    }
  }
}
