import Cryptography
import Mesh
import RTP

/// This node's streams with the keys that protect them, and where it opens what members protected.
///
/// Loop thread only; what is called per datagram allocates nothing.
@safe final class MediaProtection {
  /// Octets that are kept free behind an RTP packet and a compound of reports.
  static let (mediaOverhead, reportOverhead) = (
    SRTPSender.overheadByteCount, SRTPSender.controlOverheadByteCount
  )
  /// The longest datagram that is sent, so that no way has to split it.
  static let mostSentBytes = 1200
  /// The longest that can be let in.
  private static let mostReceivedBytes = 1500

  /// This node's streams by number; the base stream is always there.
  private(set) var streams: [OwnStream?]
  /// The epochs of streams that are over: their numbers go on with higher ones.
  private var usedEpochs: [UInt64]
  private let plain: UnsafeMutableRawBufferPointer

  /// With the base stream, for all members, and its first key of epoch 0.
  init(_ key: consuming SRTPSendingKey, ssrc: SSRC) {
    streams = Array(repeating: nil, count: MediaKey.maximumStreams)
    usedEpochs = Array(repeating: 0, count: MediaKey.maximumStreams)
    streams[0] = OwnStream(
      0, ssrc: ssrc, audience: .everyone, listeners: .everyone, key: key, epoch: 0)
    unsafe plain = .allocate(byteCount: Self.mostReceivedBytes, alignment: 8)
  }

  deinit { unsafe plain.deallocate() }

  /// Checks and decrypts a datagram of a member; what it returns holds until the next call.
  func open(
    _ datagram: RawSpan, isReport: Bool, by receiver: SRTPReceiver
  ) throws(CryptoError) -> UnsafeRawBufferPointer {
    var bytes = unsafe plain.mutableBytes
    let byteCount =
      isReport
      ? try receiver.unprotectControl(datagram, into: &bytes)
      : try receiver.unprotect(datagram, into: &bytes)
    return unsafe UnsafeRawBufferPointer(rebasing: plain[..<byteCount])
  }

  /// The stream for all members, by which reports go.
  var base: OwnStream {
    guard let base = streams[0] else { preconditionFailure("the base stream is always there") }
    return base
  }

  /// A stream of this node; nil: there is none of that number.
  func stream(_ number: Int) -> OwnStream? {
    streams.indices.contains(number) ? streams[number] : nil
  }

  /// The stream of this node of an SSRC; nil: there is none.
  func stream(of ssrc: SSRC) -> OwnStream? {
    for case let stream? in streams where stream.ssrc == ssrc { return stream }
    return nil
  }

  /// A number and an epoch for one more stream; nil: there are as many as there may be.
  func freeNumber() -> (number: Int, epoch: UInt64)? {
    streams.firstIndex { $0 == nil }.map { ($0, usedEpochs[$0] + 1) }
  }

  /// Adds a stream under its number, which is free.
  func add(_ stream: OwnStream) {
    precondition(streams[stream.number] == nil, "a number is one stream's")
    streams[stream.number] = stream
  }

  /// Takes a stream away; the base stream stays.
  func remove(_ stream: OwnStream) {
    guard stream.number != 0 else { return }
    usedEpochs[stream.number] = stream.lastEpoch
    streams[stream.number] = nil
  }

  /// Whether an SSRC is one of this node's streams or their RTX streams.
  func isOwn(_ ssrc: UInt32) -> Bool {
    for stream in streams {
      guard let own = stream?.ssrc.rawValue else { continue }
      if ssrc == own || ssrc == ~own { return true }
    }
    return false
  }
}
