/// One key's position.
///
/// Events: an edge down, an edge up, another key of the interlock group talks, a switch from outside. A press opens at
/// once; its release decides. Shorter than the latch time: what talks stays latched, what turns listening does so. The
/// next press of a latched key closes it, and its release does nothing.
struct KeyState {
  /// Who has a finger on it.
  private(set) var holders: Set<KeyHolder> = []
  /// Whether it stays open.
  private(set) var isLatched = false
  /// When it went down.
  private var pressedNanoseconds: Int64 = 0
  /// Whether this press closed a latched key, or another key took over: it opens nothing.
  private var isSpent = false

  var isHeld: Bool { !holders.isEmpty }
  /// Whether it is open by a finger or a latch.
  var isOpen: Bool { isLatched || isHeld && !isSpent }
  /// Whether nobody would miss it.
  var isIdle: Bool { !isLatched && holders.isEmpty }

  /// Goes down; true: it opens now.
  mutating func press(by holder: KeyHolder, nowNanoseconds now: Int64) -> Bool {
    let isEdge = holders.isEmpty
    guard holders.insert(holder).inserted, isEdge else { return false }
    pressedNanoseconds = now
    isSpent = isLatched
    isLatched = false
    return !isSpent
  }

  /// Goes up; true: it was a tap that is to turn listening.
  ///
  /// - Parameter isTap: whether it was down for less than the latch time, where its holder knows; nil: by the times.
  mutating func release(
    by holder: KeyHolder, of key: Key, isTap: Bool? = nil, nowNanoseconds now: Int64
  ) -> Bool {
    guard holders.remove(holder) != nil, holders.isEmpty else { return false }
    defer { isSpent = false }
    let isTap =
      isTap ?? (now - pressedNanoseconds < Int64(key.latchMilliseconds) * 1_000_000)
    guard isTap, key.latchMilliseconds > 0, !isSpent else { return false }
    if key.activation.tapsListen { return true }
    isLatched = key.activation.talks
    return false
  }

  /// Another key of its group talks.
  mutating func giveWay() {
    isLatched = false
    isSpent = isHeld
  }

  /// Stays open by nothing but a finger.
  mutating func unlatch() { isLatched = false }

  /// Is switched, whoever holds it.
  mutating func set(latched: Bool) {
    isLatched = latched
    isSpent = isHeld
  }
}

/// Who presses a key.
public enum KeyHolder: Hashable, Sendable {
  /// A command: the key stays down until another command lets it go.
  case command
  /// A device or a page that tells again and again that it is there.
  case device(Label)
  /// The station's own MIDI port, which is told to be there still as a device is.
  case midi
}
