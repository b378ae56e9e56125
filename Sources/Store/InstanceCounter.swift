internal import Cryptography

/// A node's start counter: it grows with each start and survives power cuts.
///
/// Where the clock is set (a time before 2026 means that it never was), the number is the seconds since 1970, unless
/// the count is higher already. So a directory that comes back from a backup does no harm: its old count is less than
/// what other nodes remember, and they would take the node for a ghost of itself, but the clock is more. Only a start
/// whose clock was wrong by years, and then a backup from before it, is not healed by this.
///
/// Two files, so that one is whole while the other is written. A number is used once it is written and synced, and of
/// the numbers that were used, the two files differ by one at most. What a start finds, and what becomes of it:
/// - both whole: one more than the higher, into the file that has the lower; a clock that is higher, into both;
/// - one whole (n), the other damaged or gone: that had n + 1 at most, so n + 2, or the clock if it is higher,
///   into both;
/// - neither there, and nobody has used the node before: 1, or the clock, into both;
/// - neither to be read, but there is an identity that others may know, or a damaged file: the clock, into both. One
///   that is not set leaves no safe number, and the start is refused.
struct InstanceCounter {
  /// 2026-01-01T00:00:00Z.
  static let leastUnixSeconds: Int64 = 1_767_225_600

  private enum Copy {
    case missing
    case damaged
    case number(UInt64)
  }

  private static let names = ["instance-a", "instance-b"]
  private static let record = Record(kind: "instance")

  let disk: any Disk

  /// The number of this start, written and synced.
  ///
  /// - Parameters:
  ///   - isKnown: whether the node has an identity from a former start.
  ///   - unixSeconds: the wall clock's time.
  func next(isKnown: Bool, unixSeconds: Int64) throws(StoreError) -> UInt64 {
    let clock = unixSeconds >= Self.leastUnixSeconds ? UInt64(unixSeconds) : 0
    switch (try read(0), try read(1)) {
    case (.number(let one), .number(let other)):
      let following = try sum(max(one, other), 1)
      let lower = one < other ? 0 : 1
      // Into one file only if the other has the number before it.
      guard clock > following else { return try write(following, into: [lower]) }
      return try write(clock, into: [lower, 1 - lower])
    case (.number(let whole), _): return try write(max(sum(whole, 2), clock), into: [1, 0])
    case (_, .number(let whole)): return try write(max(sum(whole, 2), clock), into: [0, 1])
    case (.missing, .missing) where !isKnown: return try write(max(1, clock), into: [0, 1])
    default:
      guard clock > 0 else { throw .instanceLost(path: disk.path(of: Self.names[0])) }
      return try write(clock, into: [0, 1])
    }
  }

  private func sum(_ number: UInt64, _ step: UInt64) throws(StoreError) -> UInt64 {
    let (sum, isTooHigh) = number.addingReportingOverflow(step)
    guard !isTooHigh else { throw .instanceLost(path: disk.path(of: Self.names[0])) }
    return sum
  }

  private func read(_ index: Int) throws(StoreError) -> Copy {
    let file: SecretBytes?
    do throws(StoreError) {
      file = try disk.read(Self.names[index])
    } catch {
      if case .corrupt = error { return .damaged }
      throw error
    }
    guard let file else { return .missing }
    do throws(CryptoError) {
      let number = try Self.record.read(file) { content -> UInt64? in
        guard content.byteCount == 8 else { return nil }
        return content.byteOffsets.reduce(0) { $0 << 8 | UInt64(content.octet(at: $1)) }
      }
      return number.map { .number($0) } ?? .damaged
    } catch {
      throw .crypto(error)
    }
  }

  private func write(_ number: UInt64, into indices: [Int]) throws(StoreError) -> UInt64 {
    let content = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    let file: SecretBytes
    do throws(CryptoError) {
      file = try unsafe Self.record.file(content.span.bytes)
    } catch {
      throw .crypto(error)
    }
    for index in indices {
      try file.withBytes { bytes throws(StoreError) in
        try disk.replace(Self.names[index], with: bytes)
      }
    }
    return number
  }
}
