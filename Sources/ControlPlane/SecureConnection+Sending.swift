internal import Mesh
internal import NIOCore

/// What goes out, and how much of it may wait.
extension SecureConnection {
  /// Part of the longest stall after which is looked whether anything moved.
  private static let stallChecks: Int64 = 8

  func write(_ message: Message) { write(message.frame()) }

  /// - Parameter whenWritten: called on the event loop, when the kernel has it, or never will.
  func write(_ octets: [UInt8], whenWritten: (@Sendable (Bool) -> Void)? = nil) {
    let limit = exchange.configuration.limits.waitingBytes
    guard let context, phase != .closing, phase != .over, !octets.isEmpty else {
      whenWritten?(false)
      return
    }
    // A single message may be longer than what may wait.
    guard waitingBytes == 0 || waitingBytes + octets.count <= limit else {
      whenWritten?(false)
      return fail(.stalled, "it does not read: \(waitingBytes) bytes wait for it")
    }
    waitingBytes += octets.count
    let promise = exchange.loop.makePromise(of: Void.self)
    promise.futureResult.whenComplete { [self] result in
      waitingBytes -= octets.count
      writtenCount += 1
      whenWritten?((try? result.get()) != nil)
    }
    let buffer = context.channel.allocator.buffer(bytes: octets)
    context.writeAndFlush(wrapOutboundOut(buffer), promise: promise)
    watchStall(since: Self.nowNanoseconds, progress: progress)
  }

  /// Grows with what was written, message by message and within one.
  private var progress: [Int] {
    let options = channel?.syncOptions
    return [writtenCount, (try? options?.getOption(.bufferedWritableBytes)) ?? 0]
  }

  private func watchStall(since: Int64, progress seen: [Int]) {
    guard stallTimer == nil, waitingBytes > 0 else { return }
    let stall = exchange.configuration.times.stallNanoseconds
    stallTimer = exchange.loop.scheduleTask(in: .nanoseconds(stall / Self.stallChecks)) { [self] in
      stallTimer = nil
      guard phase != .over, waitingBytes > 0 else { return }
      let now = Self.nowNanoseconds
      let progress = progress
      if progress.first != seen.first || (progress.last ?? 0) < (seen.last ?? 0) {
        return watchStall(since: now, progress: progress)
      }
      guard now - since < stall else {
        return fail(.stalled, "it does not read: \(waitingBytes) bytes wait for it")
      }
      watchStall(since: since, progress: progress)
    }
  }
}
