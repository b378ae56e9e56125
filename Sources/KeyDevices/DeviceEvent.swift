internal import Glibc
internal import System

/// What the devices of a panel tell.
public enum DeviceEvent: Sendable, Hashable {
  /// A button closed or opened, at a moment of CLOCK_MONOTONIC.
  case button(Int, isClosed: Bool, at: Duration)
  /// The device of a button is gone.
  case lost(button: Int)
  /// A device is used from now on.
  case found(String)
  /// It is no more.
  case gone(String)
  /// A device cannot be used, and why, in words; told once until that changes.
  case refused(String)
}

/// A moment of CLOCK_MONOTONIC.
public func now() -> Duration { .nanoseconds(monotonicNanoseconds()) }

/// Events of a fixed length from a descriptor, a few at a time.
struct EventStream {
  /// The most events that are taken at once: a device that floods gets a turn as any other.
  static let mostEvents = 64

  private let eventBytes: Int
  /// The start of an event whose end has not come: the kernel never tells a part, a pipe may.
  private var rest: [UInt8] = []

  init(eventBytes: Int) { self.eventBytes = eventBytes }

  /// Whole events, in turn; nil: the device is gone.
  mutating func read(_ descriptor: Int32) -> [[UInt8]]? {
    let room = Self.mostEvents * eventBytes - rest.count
    var received = 0
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      received = SystemCall.result { unsafe Glibc.read(descriptor, buffer.baseAddress, room) }
      count = max(0, received)
    }
    if SystemCall.isWouldBlock(received) { return [] }
    guard received > 0 else { return nil }
    let bytes = rest + chunk
    let whole = bytes.count / eventBytes
    rest = Array(bytes[(whole * eventBytes)...])
    return (0..<whole).map { (event: Int) -> [UInt8] in
      let start = event * eventBytes
      return Array(bytes[start..<start + eventBytes])
    }
  }

  /// A time that a device tells, as far as it can be true: not to come, and not of long ago.
  static func moment(_ nanoseconds: Int64, now: Duration) -> Duration {
    min(max(.nanoseconds(nanoseconds), now - .seconds(1)), now)
  }
}

/// Tells when something is made, changed or removed in a folder (inotify(7)).
///
/// The folder itself may come later: until then its parent is looked at.
struct FolderWatch {
  private let descriptorOwner: Descriptor?
  private let path: String

  /// Watches from now on.
  init(_ path: String) {
    self.path = path
    let flags = Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)
    let made = SystemCall.result { inotify_init1(flags) }
    descriptorOwner = SystemCall.code(made) == nil ? Descriptor(owning: Int32(made)) : nil
    add()
  }

  /// Readable when something happened; nil: the system has none to give.
  var descriptor: Int32? { descriptorOwner?.number }

  /// Takes all that is told so far: only that something happened is of interest.
  func drain() {
    guard let descriptor else { return }
    var bytes = [UInt8](repeating: 0, count: 4096)
    while unsafe Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
    add()
  }

  /// Once more for a folder that was not there; the same folder is watched once.
  private func add() {
    guard let descriptor else { return }
    let mask = UInt32(IN_CREATE | IN_ATTRIB | IN_DELETE | IN_MOVED_TO)
    if unsafe inotify_add_watch(descriptor, path, mask) < 0, let slash = path.lastIndex(of: "/") {
      _ = unsafe inotify_add_watch(descriptor, String(path[..<slash]), UInt32(IN_CREATE))
    }
  }
}

/// Names in a folder, sorted; none where it cannot be read.
func names(in folder: String) -> [String] {
  guard let opened = unsafe opendir(folder) else { return [] }
  defer { unsafe closedir(opened) }
  var names: [String] = []
  while let entry = unsafe readdir(opened) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
      unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}
