import Glibc

/// How often a property test repeats: its seeds and rounds.
///
/// A change is judged by a part of them, the night (`./dev test --all`, which sets COMLINK_ALL) by all.
/// The same code runs in both.
public enum Seeds {
  /// Whether all of it is to run, thousands of rounds included.
  public static let areAll = unsafe getenv("COMLINK_ALL") != nil
  /// Whether tests are to be shorter still, as they run many times slower: COMLINK_FEW_SEEDS, of the sanitizers' gates.
  public static let areFew = unsafe getenv("COMLINK_FEW_SEEDS") != nil

  /// 1 … `count` of the night; a tenth of them, but no fewer than ten, for a change; a twentieth under a sanitizer.
  ///
  /// Tests of fewer than ten are long ones: for a change a third.
  public static func first(_ count: UInt64) -> ClosedRange<UInt64> {
    if areFew { return 1...max(1, count / 20) }
    if areAll { return 1...count }
    return 1...(count < 10 ? (count + 2) / 3 : min(count, max(10, count / 10)))
  }

  /// Cases of a test that has many, each of which takes long: under a sanitizer each seventh.
  public static func part<Case>(of cases: [Case]) -> [Case] {
    areFew ? stride(from: 0, to: cases.count, by: 7).map { cases[$0] } : cases
  }

  /// The same of tests with a great many: a hundredth of them under a sanitizer, and those that COMLINK_SEEDS says:
  /// `2000` are the first two thousand, `167-167` is one of them.
  public static func many(_ usual: UInt64) -> ClosedRange<UInt64> {
    let text = unsafe getenv("COMLINK_SEEDS").map { unsafe String(cString: $0) } ?? ""
    let ends = text.split(separator: "-").map { UInt64($0) ?? 0 }
    guard let first = ends.first, let last = ends.last, ends.count <= 2, last > 0, first <= last
    else { return Self.first(areFew ? usual / 5 : usual) }
    return (ends.count == 1 ? 1 : first)...last
  }

  /// How many rounds of `count` a test makes: all of them in the night, a part of them for a change.
  ///
  /// - Parameter divisor: how much longer the night's run is.
  public static func rounds(_ count: Int, shortenedBy divisor: Int = 10) -> Int {
    areAll ? count : max(1, count / divisor)
  }
}
