/// Negative numbers as values of flags.
///
/// The parser takes whatever begins with a hyphen for an option, so `--playout-delay -1` would lack its value
/// instead of being out of range; `--playout-delay=-1` is understood.
enum NegativeValue {
  /// The arguments with each negative number attached to the flag before it.
  static func attached(_ arguments: [String]) -> [String] {
    arguments.reduce(into: []) { attached, argument in
      if isNegative(argument), let flag = attached.last, flag.hasPrefix("--"), !flag.contains("=") {
        attached[attached.count - 1] = "\(flag)=\(argument)"
      } else {
        attached.append(argument)
      }
    }
  }

  private static func isNegative(_ argument: String) -> Bool {
    let rest = argument.dropFirst()
    return argument.hasPrefix("-") && rest.first.map { $0.isNumber || $0 == "." } == true
      && Double(rest) != nil
  }
}
