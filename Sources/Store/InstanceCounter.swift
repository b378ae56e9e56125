internal import Crypto

/// The number of a node's start: grows with each, and survives power cuts.
///
/// Two files take turns, so that the one before is whole while the next is written: each start writes one more than
/// the higher into the file that has the lower, syncs it, and only then is the number used. The two differ by one at most.
///
/// What a start finds, and what becomes of it:
/// - both whole: one more than the higher, into the other file;
/// - one whole (n), the other damaged or gone: that had n + 1 at most, so n + 2, into both before it is used, because the
///   next fault must find them one apart at most again;
/// - neither there, and nobody has used the node before: 1, into both;
/// - neither to be read, but there is an identity that others may know, or a damaged file: the seconds since 1970, which
///   are more than all starts there ever were, and more than the last such number, as a start takes longer than a second. A clock
///   that is before 2026 was never set: then there is no safe number, and the start is refused.
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
    let (first, second) = (try read(0), try read(1))
    switch (first, second) {
    case (.number(let one), .number(let other)):
      return try write(max(one, other), plus: 1, into: one < other ? [0] : [1])
    case (.number(let whole), _): return try write(whole, plus: 2, into: [1, 0])
    case (_, .number(let whole)): return try write(whole, plus: 2, into: [0, 1])
    case (.missing, .missing) where !isKnown: return try write(0, plus: 1, into: [0, 1])
    default:
      guard unixSeconds >= Self.leastUnixSeconds else {
        throw .instanceLost(path: disk.path(of: Self.names[0]))
      }
      return try write(UInt64(unixSeconds), plus: 0, into: [0, 1])
    }
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

  private func write(
    _ base: UInt64, plus step: UInt64, into indices: [Int]
  ) throws(StoreError) -> UInt64 {
    let (number, isTooHigh) = base.addingReportingOverflow(step)
    guard !isTooHigh else { throw .instanceLost(path: disk.path(of: Self.names[0])) }
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
