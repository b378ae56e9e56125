internal import CEvdev
internal import Glibc
internal import Keys
internal import System

/// An input device that is read: its keys, as they go down and up.
///
/// The kernel drops what is not read in time and says so (SYN_DROPPED); then all is ignored up to the next report, and
/// what is down is asked for.
struct InputDevice {
  /// A key that went down or up.
  struct Stroke: Hashable {
    var code: UInt16
    var isDown: Bool
    var time: Duration
  }

  let path: String
  let name: String
  private let descriptor: Descriptor
  private let calls: DeviceCalls
  private let codes: Set<UInt16>
  private var stream = EventStream(eventBytes: Int(EVDEV_EVENT_BYTES))
  private var hasDropped = false

  /// Reads an open device from now on; only of those codes.
  init(
    _ descriptor: Descriptor, path: String, name: String, codes: Set<UInt16>, calls: DeviceCalls
  ) {
    (self.descriptor, self.path, self.name) = (descriptor, path, name)
    (self.codes, self.calls) = (codes, calls)
  }

  var number: Int32 { descriptor.number }

  /// Keys that are down now; nil: it does not tell.
  func isDown(_ code: UInt16) -> Bool? { calls.keysDown(number)?.contains(code) }

  /// What happened since; nil: it is gone.
  mutating func read(now: Duration) -> [Stroke]? {
    guard let events = stream.read(number) else { return nil }
    return events.flatMap { octets in
      take(unsafe evdev_decode(octets), now: now)
    }
  }

  private mutating func take(_ event: evdev_event, now: Duration) -> [Stroke] {
    switch (Int(event.type), Int(event.code)) {
    case (EVDEV_SYNC, EVDEV_SYNC_DROPPED):
      hasDropped = true
      return []
    case (EVDEV_SYNC, EVDEV_SYNC_REPORT) where hasDropped:
      hasDropped = false
      return held(at: now)
    // 2 is a key that repeats while it is held.
    case (EVDEV_KEY, _) where !hasDropped && (0...1).contains(event.value):
      guard codes.contains(event.code) else { return [] }
      let time = EventStream.moment(event.nanoseconds, now: now)
      return [Stroke(code: event.code, isDown: event.value == 1, time: time)]
    default: return []
    }
  }

  /// All its keys as they are; released where it does not tell.
  func held(at now: Duration) -> [Stroke] {
    let down = calls.keysDown(number)
    return codes.sorted().map {
      Stroke(code: $0, isDown: down?.contains($0) ?? false, time: now)
    }
  }
}

private func ~= (pattern: (Int, Int), value: (Int, Int)) -> Bool {
  pattern.0 == value.0 && pattern.1 == value.1
}
