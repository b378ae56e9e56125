/// Negative numbers on the command line.
///
/// The parser takes whatever begins with a hyphen for an option, so `pan B -0.5` would need `--`.
/// Hyphens of numbers are therefore swapped for the typographic minus before the parser sees them;
/// ``SignedNumber`` reads both.
enum NegativeNumber {
  static let minus: Character = "\u{2212}"

  /// The arguments with the hyphens of negative numbers out of the parser's sight.
  static func protected(_ arguments: [String]) -> [String] {
    arguments.map { argument in
      let rest = argument.dropFirst()
      guard argument.hasPrefix("-"), rest.first.map({ $0.isNumber || $0 == "." }) == true,
        Double(rest) != nil
      else { return argument }
      return "\(minus)\(rest)"
    }
  }
}
