internal import NIOCore

/// What goes out on one connection, and how much of it may wait for the other end to take it.
///
/// Runs on the event loop only. While something waits, it is looked every eighth of the longest stall whether anything
/// moved.
final class OutgoingOctets {
  private static let stallChecks: Int64 = 8

  private let loop: any EventLoop
  private let limitBytes: Int
  private let stallNanoseconds: Int64
  private(set) var waitingBytes = 0
  private var writtenCount = 0
  private var stallTimer: Scheduled<Void>?

  init(loop: any EventLoop, configuration: ControlPlaneConfiguration) {
    self.loop = loop
    limitBytes = configuration.limits.waitingBytes
    stallNanoseconds = configuration.times.stallNanoseconds
  }

  /// Why nothing more may be sent.
  var stallWords: String { "it does not read: \(waitingBytes) bytes wait for it" }

  /// Whether so many more octets may wait; a single message may be longer than what may wait.
  func hasRoom(for byteCount: Int) -> Bool {
    waitingBytes == 0 || waitingBytes + byteCount <= limitBytes
  }

  /// Sends, and watches that it moves.
  ///
  /// - Parameters:
  ///   - whenWritten: called when the kernel has it, or never will.
  ///   - whenStalled: called when nothing has moved for too long.
  func write(
    _ octets: [UInt8], in context: ChannelHandlerContext,
    whenWritten: @escaping (Bool) -> Void, whenStalled: @escaping () -> Void
  ) {
    waitingBytes += octets.count
    let promise = loop.makePromise(of: Void.self)
    promise.futureResult.assumeIsolated().whenComplete { [self] result in
      waitingBytes -= octets.count
      writtenCount += 1
      whenWritten((try? result.get()) != nil)
    }
    let buffer = context.channel.allocator.buffer(bytes: octets)
    context.writeAndFlush(NIOAny(buffer), promise: promise)
    let channel = context.channel
    watch(
      channel, since: SecureConnection.nowNanoseconds, seen: progress(of: channel), whenStalled)
  }

  /// Watches nothing any more.
  func end() {
    stallTimer?.cancel()
    stallTimer = nil
  }

  /// Grows with what was written, message by message and within one.
  private func progress(of channel: any Channel) -> [Int] {
    [writtenCount, (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0]
  }

  private func watch(
    _ channel: any Channel, since: Int64, seen: [Int], _ whenStalled: @escaping () -> Void
  ) {
    guard stallTimer == nil, waitingBytes > 0 else { return }
    let wait = TimeAmount.nanoseconds(stallNanoseconds / Self.stallChecks)
    stallTimer = loop.assumeIsolated().scheduleTask(in: wait) { [self] in
      stallTimer = nil
      guard waitingBytes > 0 else { return }
      let now = SecureConnection.nowNanoseconds
      let progress = progress(of: channel)
      if progress.first != seen.first || (progress.last ?? 0) < (seen.last ?? 0) {
        return watch(channel, since: now, seen: progress, whenStalled)
      }
      guard now - since < stallNanoseconds else { return whenStalled() }
      watch(channel, since: since, seen: seen, whenStalled)
    }
  }
}
