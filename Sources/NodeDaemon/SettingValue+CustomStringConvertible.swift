extension SettingValue: CustomStringConvertible {
  /// The value as a user would write it after a flag.
  var description: String {
    switch self {
    case .text(let text): text
    case .list(let texts): texts.joined(separator: ",")
    case .integer(let number): "\(number)"
    case .number(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .boolean(let isOn): "\(isOn)"
    }
  }
}
