public import Cryptography
import EventLoop
public import Mesh
import RTP

/// Streams and their keys: those of members, and this node's own.
extension Intercom {
  /// Takes a key of a member's stream, its first or its next; made with ``ReceivedKey/init(_:)`` off the loop.
  ///
  /// - Returns: false where it is no member, or its SSRC is another's.
  @discardableResult
  public func install(_ key: consuming sending ReceivedKey, of node: NodeID) -> Bool {
    station.roster.install(key, of: node, nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// A stream of a member is over for this node.
  public func endStream(_ number: Int, of node: NodeID) {
    station.roster.endStream(number, of: node)
  }

  /// The key in use of a stream of this node, for its audience; nil: there is none of that number.
  public func ownKey(of number: Int = 0) -> MediaKey? { station.protection.stream(number)?.message }

  /// Sends a source to one more audience, of which members have yet to get the key.
  ///
  /// - Parameter source: 0 the microphone, further inputs from 1 on.
  /// - Parameter listeners: who is sent the stream.
  /// - Returns: what they are to be told.
  /// - Throws: what the system or libcrypto refused, or that there are as many streams as may be.
  public nonisolated func openStream(
    of source: Int, to audience: StreamAudience, listeners: StreamListeners
  ) async throws -> MediaKey {
    guard let (number, epoch) = await freeStream() else {
      throw IntercomError.refused(
        "there are \(MediaKey.maximumStreams) streams already; close one first")
    }
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      let key = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: epoch))
      guard let told = await open(number, of: source, audience, listeners, key, epoch: epoch)
      else {
        throw IntercomError.refused("another stream was opened at the same time; try again")
      }
      return told
    }
  }

  /// Sends a stream to these from now on, and to nobody else.
  public func setListeners(_ listeners: StreamListeners, of number: Int) {
    guard let stream = station.protection.stream(number), number != 0 else { return }
    stream.listeners = listeners
    station.roster.follow(stream)
  }

  /// Ends a stream of this node; the one for all members stays.
  public func closeStream(_ number: Int) {
    guard let stream = station.protection.stream(number), number != 0 else { return }
    station.close(stream)
  }

  /// Makes a stream's next key, to be handed to its audience, and then used: ``useNextKey(of:)``.
  ///
  /// The work is done on Swift's pool, whatever executor the caller prefers.
  /// Made again before it is used, another key takes its place.
  ///
  /// - Returns: nil where there is no such stream.
  /// - Throws: what the system or libcrypto refused; the present key stays.
  public nonisolated func makeNextKey(of number: Int = 0) async throws(CryptoError) -> MediaKey? {
    guard let epoch = await takeEpoch(of: number) else { return nil }
    // A task that prefers the loop would run this on the loop.
    return try await withTaskExecutorPreference(globalConcurrentExecutor) {
      () async throws(CryptoError) -> MediaKey? in
      let key = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: epoch))
      return await setNextKey(key, of: number, epoch: epoch)
    }
  }

  /// Protects a stream with the key that ``makeNextKey(of:)`` made, from now on; without one nothing changes.
  public func useNextKey(of number: Int = 0) { station.protection.stream(number)?.useNextKey() }

  private func takeEpoch(of number: Int) -> UInt64? {
    station.protection.stream(number)?.takeEpoch()
  }

  private func freeStream() -> (number: Int, epoch: UInt64)? { station.protection.freeNumber() }

  private func open(
    _ number: Int, of source: Int, _ audience: StreamAudience, _ listeners: StreamListeners,
    _ key: consuming sending SRTPSendingKey, epoch: UInt64
  ) -> MediaKey? {
    station.open(number, of: source, audience, listeners, key, epoch: epoch)?.message
  }

  private func setNextKey(
    _ key: consuming sending SRTPSendingKey, of number: Int, epoch: UInt64
  ) -> MediaKey? {
    station.protection.stream(number)?.setNextKey(key, epoch: epoch)
  }
}
