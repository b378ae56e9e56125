import Glibc

/// The seeds of a property test.
public enum Seeds {
  /// 1 … `count`; a twentieth of them where COMLINK_FEW_SEEDS is set, as the sanitizers' gates do.
  public static func first(_ count: UInt64) -> ClosedRange<UInt64> {
    let isFew = unsafe getenv("COMLINK_FEW_SEEDS") != nil
    return 1...(isFew ? max(1, count / 20) : count)
  }
}
