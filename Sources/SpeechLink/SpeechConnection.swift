internal import NIOCore
internal import Speech
internal import System

/// The connection of one call: carries octets and time between the service and ``SpeechCall``.
///
/// On its event loop only.
final class SpeechConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What the one who asked wants.
  enum Order: Sendable {
    case sound([UInt8])
    case finish
    case stop
    /// It has what there was.
    case read
  }

  private var call: SpeechCall
  private let box: SpeechMailbox<SpeechNews>
  private let loop: any EventLoop
  private var context: ChannelHandlerContext?
  private var alarm: Scheduled<Void>?
  private var alarmNanoseconds = Int64.max
  private var isReading = false
  private var hasEnded = false

  init(_ call: SpeechCall, _ box: SpeechMailbox<SpeechNews>, loop: any EventLoop) {
    (self.call, self.box, self.loop) = (call, box, loop)
  }

  /// Begins to look at the time.
  func begin() { settle() }

  /// Nothing more comes of it.
  var isOver: Bool { hasEnded }

  /// The connection cannot be.
  func failed() {
    call.closed()
    settle()
  }

  func follow(_ order: Order) {
    switch order {
    case .sound(let pcm): call.append(sound: pcm)
    case .finish: call.finishSound(nowNanoseconds: SpeechLink.nowNanoseconds())
    case .stop: call.stop()
    case .read: read()
    }
    settle()
  }

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    call.connected(nowNanoseconds: SpeechLink.nowNanoseconds())
    settle()
    read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isReading = false
    call.receive(
      Self.unwrapInboundIn(data).readableBytesView, nowNanoseconds: SpeechLink.nowNanoseconds())
    if settle() { read() }
  }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    call.closed()
    settle()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func read() {
    guard let context, !isReading else { return }
    isReading = true
    context.read()
  }

  /// Carries out what the call decided; true: the one who asked has all news.
  @discardableResult
  private func settle() -> Bool {
    let outgoing = call.takeOutgoing()
    if !outgoing.isEmpty, let context {
      context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: outgoing)), promise: nil)
      if !context.channel.isWritable { call.fellBehind() }
    }
    let news = call.takeNews()
    let isLast = call.isOver && !hasEnded
    hasEnded = hasEnded || isLast
    let isTaken = news.isEmpty && !isLast || box.put(news, isLast: isLast)
    if call.isOver { context?.close(promise: nil) }
    setAlarm()
    return isTaken
  }

  private func setAlarm() {
    guard call.deadlineNanoseconds != alarmNanoseconds else { return }
    alarm?.cancel()
    (alarm, alarmNanoseconds) = (nil, call.deadlineNanoseconds)
    guard alarmNanoseconds != .max else { return }
    let wait = max(0, alarmNanoseconds - SpeechLink.nowNanoseconds())
    let bound = NIOLoopBound(self, eventLoop: loop)
    alarm = loop.scheduleTask(in: .nanoseconds(wait)) {
      bound.value.alarmNanoseconds = .max
      bound.value.call.tick(nowNanoseconds: SpeechLink.nowNanoseconds())
      bound.value.settle()
    }
  }
}
