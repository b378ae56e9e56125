import EventLoop
import Mesh

/// What the media path is to know of a member.
struct MemberMedia: Sendable {
  /// Most keys that wait to be taken: the one in use and the next.
  static let mostKeys = 2

  /// Which admission it is: a member that left and came back begins anew.
  let admission: UInt64
  var name: String
  var addresses: [SocketAddress]
  /// Whether it says that it records.
  var isRecording = false
  /// Whether the user knows of a key of no use.
  var isFaultTold = false
  /// Keys that were not taken yet, the oldest first.
  private(set) var keys: [MediaKey] = []

  init(admission: UInt64, name: String, addresses: [SocketAddress]) {
    self.admission = admission
    self.name = name
    self.addresses = addresses
  }

  /// Whether the media path need not be told anew, but for keys.
  func isCalledLike(_ other: MemberMedia) -> Bool {
    admission == other.admission && name == other.name && addresses == other.addresses
      && isRecording == other.isRecording
  }

  /// Lets a key wait; of too many the oldest is no use any more.
  mutating func add(_ key: MediaKey) {
    if keys.count == Self.mostKeys { keys.removeFirst() }
    keys.append(key)
  }

  /// The keys that wait, and wait no more.
  mutating func takeKeys() -> [MediaKey] {
    defer { keys = [] }
    return keys
  }
}
