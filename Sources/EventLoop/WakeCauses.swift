import CUring

/// What ended the loop's last wait.
public struct WakeCauses: OptionSet, Sendable {
  /// One bit for each cause.
  public let rawValue: UInt32

  /// The audio thread's beat.
  public static let beat = WakeCauses(rawValue: UInt32(URING_WOKE_BEAT))
  /// Another thread: jobs, a new handler or `wake`.
  public static let signal = WakeCauses(rawValue: UInt32(URING_WOKE_SIGNAL))
  /// The handler's deadline.
  public static let deadline = WakeCauses(rawValue: UInt32(URING_WOKE_DEADLINE))

  /// The causes of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
