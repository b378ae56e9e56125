internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import ServiceLoop
public import Speech

/// The way to speech services: each request has a connection of its own.
///
/// It has one thread of its own, an event loop of SwiftNIO, so that no service can hold up anybody. Any thread.
public final class SpeechLink: Sendable {
  /// Calls at a time.
  public static let calls = 64
  /// Octets of speech that a service may be behind: 8 s.
  private static let behindBytes = 256 * 1024

  private let hosts: [String]
  private let language: String?
  private let times: SpeechTimes
  private let threads: MultiThreadedEventLoopGroup
  private let gate: LoopGate
  private let places = Places(SpeechLink.calls)
  /// Calls that may be under way: an event loop that ends drops their alarms, and they would never.
  private let live: NIOLoopBoundBox<[SpeechConnection]>

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - hosts: other machines than this one that may be spoken to, as their addresses are written.
  ///   - language: what people speak where a request does not say; nil: the service finds out.
  public init(
    allowing hosts: [String] = [], language: String? = nil, times: SpeechTimes = SpeechTimes()
  ) {
    (self.hosts, self.language, self.times) = (hosts, language, times)
    threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = threads.next()
    gate = LoopGate(loop)
    live = NIOLoopBoundBox.makeBoxSendingValue([], eventLoop: loop)
  }

  deinit { stop() }

  /// Ends all calls, and the thread a moment later; the second time does nothing.
  public func stop() {
    guard gate.shut() else { return }
    threads.next().execute { [live] in
      for connection in live.value { connection.follow(.stop) }
      live.value = []
    }
    threads.shutdownGracefully { _ in }
  }

  /// Asks a service for something.
  ///
  /// - Throws: ``SpeechLinkError`` where it is not to be asked at all; what goes wrong later is news of the line.
  public func call(
    _ request: SpeechRequest, at address: ServiceAddress
  ) throws(SpeechLinkError) -> SpeechLine {
    guard address.isAllowed(beside: hosts) else { throw .notAllowed(address) }
    guard let place = places.take() else { throw .crowded(maximum: Self.calls) }
    let loop = threads.next()
    let box = SpeechMailbox<SpeechNews>()
    let call = SpeechCall(
      request.spoken(in: language), times: times, nowNanoseconds: Self.nowNanoseconds())
    let connection = NIOLoopBoundBox.makeBoxSendingValue(
      SpeechConnection(call, box, loop: loop), eventLoop: loop)
    gate.run { [times, live] in
      live.value.removeAll { $0.isOver }
      live.value.append(connection.value)
      connection.value.begin()
      Self.connect(to: address, loop, connection, times, place)
    } orElse: {
      _ = box.put([.failed(.stopped)], isLast: true)
    }
    return SpeechLine(box) { [gate] order in gate.run { connection.value.follow(order) } }
  }

  /// On the loop.
  private static func connect(
    to address: ServiceAddress, _ loop: any EventLoop,
    _ connection: NIOLoopBoundBox<SpeechConnection>, _ times: SpeechTimes, _ place: Places.Place
  ) {
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(.nanoseconds(times.connectNanoseconds))
      .channelOption(.autoRead, value: false)
      .channelOption(.maxMessagesPerRead, value: 1)
      .channelOption(
        .writeBufferWaterMark,
        value: ChannelOptions.Types.WriteBufferWaterMark(low: behindBytes / 2, high: behindBytes)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(connection.value)
        }
      }
    let connecting =
      switch address {
      case .tcp(let host, let port): bootstrap.connect(host: host, port: Int(port))
      case .unix(let path): bootstrap.connect(unixDomainSocketPath: path)
      }
    connecting.whenComplete { result in
      switch result {
      case .success(let channel):
        channel.closeFuture.whenComplete { _ in withExtendedLifetime(place) {} }
      case .failure: connection.value.failed()
      }
    }
  }

  /// CLOCK_MONOTONIC.
  static func nowNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Why a service is not asked.
public enum SpeechLinkError: Error, Hashable, Sendable {
  /// It is on another machine, which the user did not list.
  case notAllowed(ServiceAddress)
  /// So many requests are under way.
  case crowded(maximum: Int)
}

extension SpeechLinkError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .notAllowed(let address):
      """
      \(address) is another machine, and speech would go there unencrypted: add the host to allow in [speech], \
      or use a service on this machine
      """
    case .crowded(let maximum):
      "\(maximum) requests to speech services are under way; wait until one is done"
    }
  }
}
