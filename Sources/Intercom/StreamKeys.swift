import Cryptography
import Mesh
import RTP

/// A stream of this node: a source for an audience, and its keys, in use and next.
///
/// Loop thread only.
final class OwnStream {
  /// Its number, by which members know it and keys are announced; 0 is for all, and reports go by it.
  let number: Int
  let ssrc: SSRC
  /// What is spoken into.
  let source: StreamSourceName
  let audience: StreamAudience
  /// What makes its packets; nil: not open yet.
  var writer: StreamWriter?
  /// Media time of its source's next frame; nil: the microphone's.
  var currentTimestamp: RTPTimestamp?
  /// Who is in its audience.
  var listeners: StreamListeners
  private let sender: SRTPSender
  /// Of the key in use, and of the last one made.
  private(set) var (epoch, lastEpoch): (UInt64, UInt64)
  private var nextEpoch: UInt64?

  /// A stream with a first key.
  init(
    _ number: Int, ssrc: SSRC, source: StreamSourceName = .microphone, audience: StreamAudience,
    listeners: StreamListeners, key: consuming SRTPSendingKey, epoch: UInt64
  ) {
    (self.number, self.ssrc, self.audience, self.listeners) = (number, ssrc, audience, listeners)
    self.source = source
    sender = SRTPSender(key)
    (self.epoch, lastEpoch) = (epoch, epoch)
  }

  /// Protects a packet in place; 0 where it cannot be.
  func seal(_ packet: inout MutableRawSpan, byteCount: Int, variant: SRTPVariant) -> Int {
    (try? sender.protect(&packet, byteCount: byteCount, variant: variant)) ?? 0
  }

  /// The same for a compound of reports.
  func sealReport(_ packet: inout MutableRawSpan, byteCount: Int) -> Int {
    (try? sender.protectControl(&packet, byteCount: byteCount)) ?? 0
  }

  /// What its audience is told: the key in use, and what it is for.
  var message: MediaKey { sender.withSecret { message(of: $0, epoch: epoch) } }

  private func message(of secret: RawSpan, epoch: UInt64) -> MediaKey {
    var key = MediaKey(
      stream: number, source: source.number, sourceName: source.name, audience: audience,
      ssrc: ssrc.rawValue, epoch: epoch,
      octets: secret.byteOffsets.map {
        unsafe secret.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
      })
    key.sourceColourRGB = source.colourRGB
    return key
  }

  /// The number of a key that is about to be made.
  func takeEpoch() -> UInt64 {
    lastEpoch += 1
    return lastEpoch
  }

  /// Queues a key for its use; an older one that arrives later is ignored.
  ///
  /// - Returns: what its audience is to be told.
  @discardableResult
  func setNextKey(_ key: consuming SRTPSendingKey, epoch: UInt64) -> MediaKey {
    let told = key.secret.withBytes { message(of: $0, epoch: epoch) }
    guard epoch > nextEpoch ?? self.epoch else { return told }
    nextEpoch = epoch
    sender.setNextKey(key)
    return told
  }

  /// Uses the key that waits.
  func useNextKey() {
    guard let next = nextEpoch else { return }
    (nextEpoch, epoch) = (nil, next)
    sender.useNextKey()
  }
}

/// The keys of a member's stream, as they came one after the other, and what was received under them.
///
/// Loop thread only.
final class ReceivingKeys {
  /// How long packets under an older key are accepted after the next one arrived.
  private static let oldKeyNanoseconds: Int64 = 5_000_000_000

  /// Which of the member's streams it is; 0 is the one that reports go by.
  let number: Int
  let ssrc: UInt32
  /// What is spoken into, and for whom: the stream's identity, which may move.
  private(set) var (source, audience): (StreamSourceName, StreamAudience)
  let receiver = SRTPReceiver()
  /// The last key's; its first key has any.
  private(set) var newestEpoch: UInt64?
  /// When its newest key arrived, while there are older ones.
  private var keyNanoseconds: Int64?

  init(_ identity: ReceivedKey.Identity) {
    (number, ssrc) = (identity.stream, identity.ssrc)
    (source, audience) = (StreamSourceName(identity), identity.audience)
  }

  /// Adds a key, and follows where the stream moved; one that is not newer than the last is ignored.
  func add(
    _ key: consuming SRTPReceivingKey, of identity: ReceivedKey.Identity, nowNanoseconds: Int64
  ) -> Bool {
    if let newestEpoch {
      guard identity.epoch > newestEpoch else { return false }
      keyNanoseconds = nowNanoseconds
    }
    newestEpoch = identity.epoch
    (source, audience) = (StreamSourceName(identity), identity.audience)
    receiver.add(key)
    return true
  }

  /// When there are keys whose time is over; `max`: there are none.
  var dropNanoseconds: Int64 { keyNanoseconds.map { $0 + Self.oldKeyNanoseconds } ?? .max }

  /// Lets go of keys whose time is over.
  func dropOld(nowNanoseconds: Int64) {
    guard let came = keyNanoseconds, nowNanoseconds - came >= Self.oldKeyNanoseconds else { return }
    receiver.dropOlderKeys()
    keyNanoseconds = nil
  }
}

/// What is spoken into for a stream: the microphone, a further input, or a guest's.
struct StreamSourceName: Hashable, Sendable {
  static let microphone = StreamSourceName(number: 0, name: "")

  /// As it is announced.
  let number: Int
  /// What it is called by its node, which may have sent anything; empty: as the node.
  let name: String
  /// A colour to show it in, 24 bits of red, green and blue; nil: its node's.
  var colourRGB: UInt32?

  /// Whether a person at a browser speaks into it, who is a guest of the stream's node.
  var isGuest: Bool { number >= MediaKey.firstGuestSource }
}

extension StreamSourceName {
  /// As a member told it.
  init(_ identity: ReceivedKey.Identity) {
    self.init(
      number: identity.source, name: identity.sourceName, colourRGB: identity.sourceColourRGB)
  }
}
