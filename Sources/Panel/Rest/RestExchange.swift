internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import ServiceLoop

/// One request of REST at a connection, from its head to the answer; on the page's loop.
///
/// An upload is written to its file by threads that may wait for a disk. While much waits for these, nothing is read
/// from the connection.
final class RestExchange {
  /// Octets that may wait for the disk before reading pauses, and from which on it goes on.
  private static let backlogBytes = (most: 262_144, low: 65_536)
  /// The slowest that a client may send or take audio: a minute of it in 15 s at 32 kbit/s.
  static let leastBytesPerSecond = 16_384

  private enum Course {
    case over
    /// It has no content, and is refused at its end.
    case refused(PageAnswer)
    case call(RestCall, [UInt8])
    case upload(UploadRoom.Order)
  }

  private let desk: RestDesk
  private let gate: LoopGate
  private let context: ChannelHandlerContext
  private let finish: (PageAnswer) -> Void
  private var course = Course.over
  private var (received, waiting) = (0, 0)
  private(set) var hasEnded = false
  private var problem: RestFault?

  /// - Parameter finish: takes the answer, once; before the request's end where it is refused.
  init(
    _ desk: RestDesk, _ gate: LoopGate, _ context: ChannelHandlerContext,
    finish: @escaping (PageAnswer) -> Void
  ) {
    (self.desk, self.gate, self.context, self.finish) = (desk, gate, context, finish)
  }

  /// Judges its head.
  ///
  /// - Parameters:
  ///   - host: as it names the node; nil: it names another.
  ///   - viewer: whose cookie of the page it has; nil: nobody's.
  /// - Returns: the most that is to come; nil: it was refused.
  func begin(_ request: PageRequest, _ host: HostName?, _ viewer: PageRecord?) -> Int? {
    switch desk.admit(request, host, viewer) {
    case .refused(let answer):
      guard !request.hasContent else {
        finish(answer)
        return nil
      }
      course = .refused(answer)
      return 0
    case .call(let call):
      course = .call(call, [])
      return call.route.bodyBytes
    case .upload(let order):
      course = .upload(order)
      return order.byteCount
    }
  }

  /// Takes some of its content.
  func take(_ part: ByteBuffer) {
    switch course {
    case .over, .refused: break
    case .call(let call, let body):
      guard body.count + part.readableBytes <= call.route.bodyBytes else {
        return end(.fault(RestCall.tooLarge))
      }
      course = .over
      course = .call(call, body + part.readableBytesView)
    case .upload(let order): write(part, order)
    }
  }

  /// All of it has come.
  func end() {
    hasEnded = true
    switch course {
    case .over: break
    case .refused(let answer): end(answer)
    case .call(let call, let body):
      course = .over
      let (desk, gate) = (desk, gate)
      let exchange = NIOLoopBound(self, eventLoop: context.eventLoop)
      Task {
        let answer = await desk.answer(call, body)
        gate.run { exchange.value.finish(answer) }
      }
    case .upload: finishUpload()
    }
  }

  /// The connection is gone; what was uploaded of a file is of no use.
  func leave() {
    if case .upload(let order) = course { desk.uploads.written(order.id, isWhole: false) }
    course = .over
  }

  private func end(_ answer: PageAnswer) {
    leave()
    finish(answer)
  }

  private func write(_ part: ByteBuffer, _ order: UploadRoom.Order) {
    guard received + part.readableBytes <= order.byteCount else {
      return end(
        .fault(RestFault(.tooLarge, "the address is for \(order.byteCount) bytes; ask for another"))
      )
    }
    let (offset, octets, file) = (received, Array(part.readableBytesView), order.file)
    received += octets.count
    waiting += octets.count
    if waiting > Self.backlogBytes.most { pause(true) }
    let exchange = NIOLoopBound(self, eventLoop: context.eventLoop)
    NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) {
      try file.write(octets, at: offset)
    }.whenComplete { exchange.value.wrote(octets.count, $0) }
  }

  private func wrote(_ count: Int, _ outcome: Result<Void, any Error>) {
    waiting -= count
    if waiting <= Self.backlogBytes.low { pause(false) }
    if case .failure(let error) = outcome {
      problem =
        (error as? UploadFailure)?.fault ?? RestFault(.failed, "the node is ending; try again")
      if case .upload = course, let problem { return end(.fault(problem)) }
    }
    if hasEnded { finishUpload() }
  }

  private func finishUpload() {
    guard case .upload(let order) = course, waiting == 0 else { return }
    guard received == order.byteCount else {
      return end(
        .fault(
          RestFault(
            .malformed, "\(received) bytes came of \(order.byteCount); send the whole file")))
    }
    course = .over
    desk.uploads.written(order.id, isWhole: true)
    finish(.json(.ok, RestBody.Uploaded(fileSize: received)))
  }

  private func pause(_ isPaused: Bool) {
    context.channel.setOption(.autoRead, value: !isPaused).whenFailure { _ in }
  }
}
