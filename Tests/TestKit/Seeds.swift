import Glibc

/// The seeds of a property test.
public enum Seeds {
  /// 1 … `count`; a twentieth of them where COMLINK_FEW_SEEDS is set, as the sanitizers' gates do.
  public static func first(_ count: UInt64) -> ClosedRange<UInt64> {
    1...(areFew ? max(1, count / 20) : count)
  }

  /// The same of tests with a great many: a hundredth of them there, and as many as COMLINK_SEEDS says.
  public static func many(_ usual: UInt64) -> ClosedRange<UInt64> {
    guard let text = unsafe getenv("COMLINK_SEEDS"),
      let count = UInt64(unsafe String(cString: text)), count > 0
    else { return first(areFew ? usual / 5 : usual) }
    return 1...count
  }

  /// Whether tests are to be short, as they run many times slower.
  public static var areFew: Bool { unsafe getenv("COMLINK_FEW_SEEDS") != nil }
}
