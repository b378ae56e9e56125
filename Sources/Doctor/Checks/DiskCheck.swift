internal import StatusSchema

/// Whether the node can keep what it has to.
struct DiskCheck: Check {
  /// The state directory, or what there is of the way to it; nil: nothing is kept.
  var path: String?
  /// Nil: there is no such place.
  var disk: DiskFacts?
  /// Whether this process is the one that has to write there.
  var isOwnProcess: Bool
}

extension DiskCheck {
  /// A state takes some KiB; what is left of so little is gone with the next log.
  private static let leastBytes: UInt64 = 10 << 20
  private static let roomyBytes: UInt64 = 100 << 20

  init(_ system: System) {
    path = system.statePath
    isOwnProcess = system.patient.process == nil && !system.isService
    while let place = path {
      disk = system.probes.disk(place)
      guard disk == nil, let slash = place.lastIndex(of: "/"), place != "/" else { break }
      path = slash == place.startIndex ? "/" : String(place[..<slash])
    }
  }

  var findings: [Finding] {
    guard let path, let disk else {
      return [
        Finding(
          check: "disk", level: .advice, seen: "no directory for the node's state",
          meaning: "Identity and groups are lost at each exit.", fix: ["comlinkd --state DIR"])
      ]
    }
    let seen = "\(disk.freeBytes >> 20) MiB free at \(path)"
    if disk.isReadOnly || isOwnProcess && !disk.isWritable {
      return [
        Finding(
          check: "disk", level: .problem,
          seen:
            "\(path) is \(disk.isReadOnly ? "on a read-only file system" : "not writable for this user")",
          meaning:
            "Identity and groups cannot be saved: the node gets a new identity at each start.",
          fix: [
            disk.isReadOnly
              ? "sudo mount -o remount,rw, or comlinkd --state DIR" : "comlinkd --state DIR"
          ])
      ]
    }
    guard disk.freeBytes < Self.roomyBytes else {
      return [Finding(check: "disk", level: .ok, seen: seen)]
    }
    return [
      Finding(
        check: "disk", level: disk.freeBytes < Self.leastBytes ? .problem : .advice, seen: seen,
        meaning: "When it is full, new groups and trust are not saved.",
        fix: ["sudo apt clean; sudo journalctl --vacuum-size=50M"])
    ]
  }
}

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
      return [Finding(check: "swap", level: .ok, seen: "no swap on a disk")]
    }
    let seen = places.joined(separator: ", ")
    guard isMemoryLocked == false else {
      return [Finding(check: "swap", level: .ok, seen: "\(seen); comlinkd locks its memory")]
    }
    return [
      Finding(
        check: "swap", level: .advice, seen: "\(seen); comlinkd's memory is not locked",
        meaning: "Memory that was swapped out costs a dropout of 10 to 100 ms.",
        fix: ["see memlock here, or: sudo swapoff -a"])
    ]
  }
}
