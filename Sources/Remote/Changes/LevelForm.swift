/// How a subscriber is told levels.
public enum LevelForm: Sendable, Hashable {
  /// Along with what else changes.
  case calm
  /// As they change, each by the name of its field.
  case named
  /// As they change, those of peers in one array, `levels`, by their places: a tenth as long.
  case listed

  /// Whether they come as they change.
  var isLive: Bool { self != .calm }
}

extension LevelForm: Codable {
  private static let list = "list"

  /// True, false or `"list"`.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    guard let word = try? value.decode(String.self) else {
      self = try value.decode(Bool.self) ? .named : .calm
      return
    }
    guard word == Self.list else {
      throw DecodingError.dataCorruptedError(
        in: value, debugDescription: #"levels are true, false or "list""#)
    }
    self = .listed
  }

  /// True, false or `"list"`.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .calm, .named: try value.encode(isLive)
    case .listed: try value.encode(Self.list)
    }
  }
}
