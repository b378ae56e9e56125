/// Why a datagram was neither protected nor let in; one word each, for counters.
public enum DatagramFault: String, CaseIterable, Hashable, Sendable {
  /// Shorter than its headers, tag and key number.
  case tooShort
  /// Not of RTP's version 2.
  case malformed
  /// Of a key that we do not have (any more, or yet).
  case unknownKey
  /// Its number came before.
  case replayed
  /// Its number is so far back that nobody knows any more whether it came before.
  case tooOld
  /// Made with another key, or changed on the way.
  case notAuthentic
  /// One more SSRC than a sender has.
  case tooManyStreams
  /// The place for the result is too small.
  case noRoom
  /// A number for the second time: sealing it would give the key away.
  case indexReused
  /// All numbers of the key are used up; the next key is needed.
  case exhausted
}
