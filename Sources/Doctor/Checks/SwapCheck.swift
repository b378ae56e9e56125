internal import StatusSchema

/// Whether the daemon's memory can be written to a disk.
struct SwapCheck: Check {
  /// Devices and files that are swapped to, but for compressed memory.
  var places: [String]
  /// Of a daemon that runs.
  var isMemoryLocked: Bool?
}

extension SwapCheck {
  init(_ system: System) {
    places = system.files.lines("/proc/swaps").dropFirst().compactMap {
      $0.split { $0 == " " || $0 == "\t" }.first.map(String.init)
    }.filter { !$0.hasPrefix("/dev/zram") }
    isMemoryLocked = system.patient.status?.loop.memoryLocked
  }

  var findings: [Finding] {
    guard !places.isEmpty else {
      return [Finding(check: "swap", level: .ok, seen: "none on a disk")]
    }
    let seen = places.joined(separator: ", ")
    guard isMemoryLocked == false else {
      return [Finding(check: "swap", level: .ok, seen: "\(seen); comlinkd locks its memory")]
    }
    return [
      Finding(
        check: "swap", level: .advice, seen: "\(seen); comlinkd's memory is not locked",
        meaning: "A part of it that is on the disk when it is needed is a gap of 10 to 100 ms.",
        fix: ["see memlock here, or: sudo swapoff -a"])
    ]
  }
}
