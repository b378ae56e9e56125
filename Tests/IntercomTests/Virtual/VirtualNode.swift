import Audio
import Cryptography
import EventLoop
import StatusSchema
import TestKit

@testable import Intercom

/// A station in virtual time: what the loop, the socket and the audio thread would do to it, this does in their place.
///
/// The audio engine is the real one, its callback run period by period. Datagrams wait for the next wake-up, as in the
/// loop.
final class VirtualNode: VirtualHost {
  /// A JACK server's beat.
  struct Beat {
    var periodFrames = 128
    var sampleRate = 48_000
    /// How much faster than it says.
    var driftPPM = 0.0
  }

  var addresses: [SocketAddress]
  /// Who it is to other nodes.
  let node: NodeID
  let station: Station
  let ports = RecordingPorts()
  let events = EventLog()
  /// JACK's beat, which may come, go and change; nil: JACK is not running.
  var beat: Beat? { didSet { (beginNanoseconds, callbacks) = (nil, 0) } }
  /// Until then JACK's callbacks are late; afterwards they come at once, one after the other.
  var stalledUntilNanoseconds: Int64 = 0
  /// Until then the media loop does not come to run.
  var heldUpUntilNanoseconds: Int64 = 0
  /// A callback that is due within so long of a wake-up comes in the midst of it, as the loop was woken late.
  var latenessNanoseconds: Int64 = 0
  /// How much later than they should its callbacks and its loop wake up; nil: not at all.
  var wakeUpJitter: (callback: WakeUpJitter, loop: WakeUpJitter)?
  private var callbackLatenessNanoseconds: Int64 = 0
  private var wokenNanoseconds: Int64?
  /// What the microphone hears, by frame.
  var mic: (Int) -> Float = { _ in 0 }
  /// What each channel of its further inputs hears, by frame.
  var inputs: [(Int) -> Float] = []
  /// The left side of the mix, from the first period on.
  private(set) var heard: [Float] = []
  /// The right side.
  private(set) var heardRight: [Float] = []
  /// How long the loop takes for a wake-up.
  var wakeNanoseconds: Int64 {
    get { stopwatch.wakeNanoseconds }
    set { stopwatch.wakeNanoseconds = newValue }
  }
  let engine: AudioEngine
  private let stopwatch = Stopwatch()
  private let endpoint: VirtualEndpoint
  private var beginNanoseconds: Int64?
  private var callbacks = 0
  private var wakes: UInt64 = 0
  /// How often the station has woken.
  private(set) var wakeUps = 0
  private var deadlineNanoseconds: Int64 = 0
  private var inbox: [Datagram] = []

  /// When a wake-up began and how long it takes, as virtual time stands still meanwhile.
  private final class Stopwatch {
    private var beginNanoseconds: Int64 = 0
    var wakeNanoseconds: Int64 = 50_000
    var endNanoseconds: Int64 { beginNanoseconds + wakeNanoseconds }
    /// Is run once, when the loop next looks at the time.
    var event: (() -> Void)?
    /// How long the loop has run in all.
    private(set) var runNanoseconds: Int64 = 0

    func look() -> Int64 {
      let event = event
      self.event = nil
      event?()
      return endNanoseconds
    }

    func begin(atNanoseconds now: Int64) {
      beginNanoseconds = now
      runNanoseconds += wakeNanoseconds
    }
  }

  /// A node of that name; without a beat JACK is not running.
  ///
  /// - Parameters:
  ///   - run: which start of it, so that what it draws at random is another.
  ///   - runAside: what runs what the loop leaves to other threads.
  init(
    _ name: String, at addresses: SocketAddress..., run: UInt64 = 0, beat: Beat? = nil,
    adjust: (inout IntercomConfiguration) -> Void = { _ in },
    runAside: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
  ) throws {
    self.addresses = addresses
    node = .named(name)
    self.beat = beat
    var configuration = IntercomConfiguration(
      name: name, listen: addresses[0], softwareVersion: "test")
    adjust(&configuration)
    var random = SplitMix64(seed: name.utf8.reduce(run << 32) { $0 &* 31 &+ UInt64($1) })
    let ports = configuration.inputs.flatMap(\.ports)
    engine = try AudioEngine(wakeDescriptor: -1, inputs: ports)
    inputs = ports.map { _ in { _ in 0 } }
    endpoint = VirtualEndpoint(localAddress: addresses[0])
    let identity = Identity(using: &random)
    station = Station(
      configuration: configuration, identity: identity, engine: engine,
      endpoint: endpoint, ports: self.ports, encoders: try configuration.makeEncoders(),
      inputs: try configuration.inputs.map { try configuration.makeEncoders(for: $0) },
      protection: MediaProtection(try SRTPSendingKey(epoch: 0), ssrc: identity.ssrc),
      streams: StreamReserve(configuration.streams, runAside: runAside),
      random: random, clock: { [stopwatch] in stopwatch.look() },
      threadCPU: { [stopwatch] in stopwatch.runNanoseconds }
    ) { [events] event in events.add(event) }
  }

  var nextNanoseconds: Int64 {
    let wake = wokenNanoseconds ?? max(deadlineNanoseconds, heldUpUntilNanoseconds)
    return beat == nil ? wake : min(wake, nextCallbackNanoseconds)
  }

  func run(nowNanoseconds: Int64, arrivals: [Datagram]) -> [Datagram] {
    inbox += arrivals
    beginNanoseconds = beginNanoseconds ?? nowNanoseconds
    if let beat, nowNanoseconds >= nextCallbackNanoseconds {
      runPeriod(beat, nowNanoseconds: nowNanoseconds)
    }
    let counted = engine.counters.wakes
    let isAlerted = endpoint.isWatchful && !inbox.isEmpty
    let isWoken = counted != wakes || nowNanoseconds >= deadlineNanoseconds || isAlerted
    if isWoken && nowNanoseconds >= heldUpUntilNanoseconds && isAwake(nowNanoseconds) {
      wakes = counted
      wake(nowNanoseconds)
    }
    return endpoint.takeSent()
  }

  /// What the microphone's ring had no room for.
  var captureOverrunFrames: UInt64 { engine.counters.captureOverrunFrames }

  /// What status would show now.
  func statuses(_ network: VirtualNetwork) -> [PeerStatus] {
    station.snapshot(nowNanoseconds: network.now).peerStatuses(client: "comlink")
  }

  /// The peer at an address, whatever its state.
  func peer(at address: SocketAddress) -> SeenPath? {
    station.seen.first { $0.address == address }
  }

  /// Whether the peer at an address is connected.
  func isConnected(to address: SocketAddress) -> Bool {
    peer(at: address)?.state == .connected
  }

  private var nextCallbackNanoseconds: Int64 {
    guard let beat, let beginNanoseconds else { return 0 }
    let nominal = Int64(callbacks * beat.periodFrames) * 1_000_000_000 / Int64(beat.sampleRate)
    let elapsed = Int64(Double(nominal) / (1 + beat.driftPPM * 1e-6))
    return max(beginNanoseconds + elapsed + callbackLatenessNanoseconds, stalledUntilNanoseconds)
  }

  /// Whether it has woken up, from what asked it to at this moment or before.
  private func isAwake(_ now: Int64) -> Bool {
    guard wakeUpJitter != nil else { return true }
    if wokenNanoseconds == nil { wokenNanoseconds = now + (wakeUpJitter?.loop.next() ?? 0) }
    guard let woken = wokenNanoseconds, now >= woken else { return false }
    wokenNanoseconds = nil
    return true
  }

  private func wake(_ now: Int64) {
    for datagram in inbox {
      station.datagramReceived(
        unsafe datagram.bytes.span.bytes, from: datagram.source,
        arrivalNanoseconds: datagram.arrivalNanoseconds)
    }
    inbox.removeAll()
    endpoint.isWatchful = false
    stopwatch.begin(atNanoseconds: now)
    let callbackNanoseconds = nextCallbackNanoseconds
    if let beat, now < callbackNanoseconds, callbackNanoseconds < now + latenessNanoseconds {
      stopwatch.event = { [unowned self] in
        runPeriod(beat, nowNanoseconds: callbackNanoseconds)
      }
    }
    deadlineNanoseconds = station.woke(at: now, nowNanoseconds: now)
    stopwatch.event = nil
    wakeUps += 1
  }

  private func runPeriod(_ beat: Beat, nowNanoseconds: Int64) {
    let first = heard.count
    callbacks += 1
    callbackLatenessNanoseconds = wakeUpJitter?.callback.next() ?? 0
    let frames = first..<first + beat.periodFrames
    let mix = engine.runStereoPeriod(
      mic: frames.map(mic), inputs: inputs.map { frames.map($0) }, sampleRate: beat.sampleRate,
      callbackNanoseconds: nowNanoseconds)
    heard += mix.left
    heardRight += mix.right
  }
}

extension AudioEngine {
  /// Runs one period of the mic's length; returns the left side of the mix.
  @discardableResult
  func runPeriod(
    mic: [Float], inputs: [[Float]] = [], sampleRate: Int = 48_000,
    callbackNanoseconds: Int64 = 1
  ) -> [Float] {
    runStereoPeriod(
      mic: mic, inputs: inputs, sampleRate: sampleRate, callbackNanoseconds: callbackNanoseconds
    ).left
  }

  /// Runs one period of the mic's length; returns the mix.
  func runStereoPeriod(
    mic: [Float], inputs: [[Float]] = [], sampleRate: Int = 48_000,
    callbackNanoseconds: Int64 = 1
  ) -> (left: [Float], right: [Float]) {
    var left = [Float](repeating: .nan, count: mic.count)
    var right = left
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    process(
      mic: mic.span, inputs: inputs, mixLeft: &leftSpan, mixRight: &rightSpan,
      time: PeriodTime(
        count: 0, startNanoseconds: callbackNanoseconds, nextNanoseconds: callbackNanoseconds,
        callbackNanoseconds: callbackNanoseconds, frameTime: 0, periodFrames: mic.count,
        sampleRate: sampleRate))
    return (left, right)
  }
}
