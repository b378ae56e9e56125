internal import Lines
internal import Remote

/// How long messages of a line are kept, as people write it: `none`, `default` or days.
struct LineMessageDays: Hashable {
  static let expected =
    "messages of a line are kept \"none\", \"default\" or from \(MessageActRequest.daysRange.lowerBound) "
    + "to \(MessageActRequest.daysRange.upperBound) days"

  /// Nil: as all other messages; 0: until they are read and delivered.
  let days: Int?

  init?(_ text: String) {
    switch text {
    case "default": days = nil
    case "none": days = 0
    default:
      guard let number = Int(text), MessageActRequest.daysRange.contains(number) else { return nil }
      days = number
    }
  }

  /// As it is written in a file.
  var text: String {
    switch days {
    case nil: "\"default\""
    case 0: "\"none\""
    case let days?: "\(days)"
    }
  }
}
