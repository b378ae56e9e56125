/// The limits of a process that sound depends on (`/proc/PID/limits`, proc(5)).
struct ProcessLimits: Hashable, Sendable {
  /// The highest real-time priority it may ask for.
  var realtimePriority: UInt64
  /// How much memory it may lock, bytes; `.max`: all.
  var lockedBytes: UInt64

  /// Limits given; for tests.
  init(realtimePriority: UInt64, lockedBytes: UInt64) {
    (self.realtimePriority, self.lockedBytes) = (realtimePriority, lockedBytes)
  }

  /// The soft limits in the text of such a file; nil: it is none.
  init?(_ text: String) {
    guard let priority = Self.value("Max realtime priority", in: text),
      let locked = Self.value("Max locked memory", in: text)
    else { return nil }
    (realtimePriority, lockedBytes) = (priority, locked)
  }

  private static func value(_ name: String, in text: String) -> UInt64? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
      return nil
    }
    let soft = line.dropFirst(name.count).split(separator: " ").first
    return soft == "unlimited" ? .max : soft.flatMap { UInt64($0) }
  }
}
