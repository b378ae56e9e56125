public import Media
import RTP

/// A talker and a receiver with a link each way: copies, requests, answers and reports, beat by beat in
/// virtual time.
public final class RepairScenario {
  /// Two machines and what they do about losses.
  public struct Settings: Sendable {
    /// Frames in a packet.
    public var framesPerPacket = 480
    /// Frames of a device period.
    public var periodFrames = 128
    /// The way of the sound.
    public var link = LinkModel()
    /// The way of requests and reports.
    public var backLink = LinkModel()
    /// What packets carry.
    public var recipe = RepairRecipe.plain
    /// Above 0, packets of 40 ms tell of those before them.
    public var expectedLossPercent = 0
    /// Whether the receiver asks for what it misses.
    public var asks = false
    /// How the receiver plays.
    public var stream = PeerStreamConfiguration()
    /// All randomness comes from here.
    public var seed: UInt64 = 1

    /// A perfect link, plain packets of 10 ms, nothing asked for.
    public init() {}
  }

  /// What was set.
  public let settings: Settings
  /// The receiver.
  public let stream: PeerStream
  /// The talker.
  public let talker: Talker
  /// What the receiver is sent again.
  public var budget = ResendBudget()
  /// What packets carry from now on.
  public var recipe: RepairRecipe
  /// The way of the sound.
  public var link: VirtualLink
  /// What the reports told the sender.
  public var remotePattern: LossPattern { senderReports.remotePattern }
  /// The largest difference of neighbouring frames heard.
  public private(set) var greatestStep: Float = 0
  /// Octets put on the link.
  public private(set) var sentOctets = 0
  /// Datagrams with requests.
  public private(set) var requestDatagrams = 0

  private var backLink: VirtualLink
  private let encoder = ToneCodec.Encoder()
  private let leanEncoder = ToneCodec.Encoder()
  private let senderReports: PeerReports
  private let receiverReports: PeerReports
  private var clock = VirtualClock()
  private var beats = 0
  private var frames: Int64 = 0
  private var ring: [Float] = []
  private var rendered = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
  private var last: Float = 0
  private static let ssrc = SSRC(rawValue: 0x0C0_1155)

  /// Sets up both machines; nothing has happened yet.
  public init(_ settings: Settings) {
    self.settings = settings
    recipe = settings.recipe
    stream = PeerStream(
      configuration: settings.stream, decoder: ToneCodec.Decoder(),
      resampler: LinearResampler())
    link = VirtualLink(model: settings.link, seed: settings.seed)
    backLink = VirtualLink(model: settings.backLink, seed: ~settings.seed)
    talker = Talker(
      configuration: TalkerConfiguration(
        ssrc: Self.ssrc, framesPerPacket: settings.framesPerPacket,
        firstSequenceNumber: SequenceNumber(rawValue: 65_500),
        firstTimestamp: RTPTimestamp(rawValue: .max - 20_000), usesDTX: false),
      encoder: encoder, leanEncoder: leanEncoder)
    talker.aim(
      VoiceCoding(
        framesPerPacket: settings.framesPerPacket, bitsPerSecond: 64_000,
        expectedLossPercent: settings.expectedLossPercent))
    senderReports = PeerReports(
      ssrc: Self.ssrc, canonicalName: "sender", name: "", seed: settings.seed &+ 1)
    receiverReports = PeerReports(
      ssrc: SSRC(rawValue: 7), canonicalName: "receiver", name: "", seed: settings.seed &+ 2)
  }

  /// Virtual nanoseconds since the beginning.
  public var nowNanoseconds: Int64 { clock.nowNanoseconds }

  /// Lets time pass.
  public func run(milliseconds: Int) {
    let end = clock.nowNanoseconds + Int64(milliseconds) * 1_000_000
    while clock.nowNanoseconds < end { beat() }
  }

  /// Lets anything arrive at the sender, as if from the receiver's address.
  public func injectFeedback(_ bytes: [UInt8]) { answer(bytes) }

  private func beat() {
    talker.codesLean = recipe.needsLean
    speak()
    hearBack()
    listen()
    report(senderReports, sends: true)
    report(receiverReports, sends: false)
    if settings.asks { ask() }
    render()
    beats += 1
    clock.advance(to: Int64(beats * settings.periodFrames) * 62_500 / 3)
  }

  private func speak() {
    let captured = Int64(beats * settings.periodFrames)
    while frames + Int64(settings.framesPerPacket) <= captured {
      encoder.nextIndex = frames
      leanEncoder.nextIndex = frames
      let pcm = (0..<Int64(settings.framesPerPacket)).map { 0.5 * ToneCodec.tone(at: frames + $0) }
      frames += Int64(settings.framesPerPacket)
      guard talker.encode(pcm.span) else { continue }
      send { self.talker.write(self.recipe, into: &$0) }
    }
  }

  private func listen() {
    while let delivery = link.receive(byNanoseconds: clock.nowNanoseconds) {
      receive(delivery.bytes, arrivalNanoseconds: delivery.arrivalNanoseconds)
    }
  }

  private func receive(_ datagram: [UInt8], arrivalNanoseconds arrival: Int64) {
    let bytes = unsafe datagram.span.bytes
    guard DatagramKind.classify(bytes) == .rtp else {
      _ = try? receiverReports.handle(bytes, nowNanoseconds: arrival)
      return
    }
    guard let packet = try? RTPPacket(parsing: bytes) else { return }
    switch packet.header.payloadType {
    case 113: stream.receiveResent(packet, bytes: bytes, arrivalNanoseconds: arrival)
    case 112:
      _ = receiverReports.receive(packet.header, arrivalNanoseconds: arrival)
      guard let redundant = try? RedundantPayload(packet.payload, in: bytes) else { return }
      stream.receive(packet, redundant: redundant, bytes: bytes, arrivalNanoseconds: arrival)
    default:
      _ = receiverReports.receive(packet.header, arrivalNanoseconds: arrival)
      stream.receive(packet, bytes: bytes, arrivalNanoseconds: arrival)
    }
  }

  private func ask() {
    var numbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 32)
    var span = numbers.mutableSpan
    let count = stream.takeRequests(
      roundTripNanoseconds: receiverReports.roundTrip?.smoothedNanoseconds,
      nowNanoseconds: clock.nowNanoseconds, into: &span)
    guard count > 0 else { return }
    requestDatagrams += 1
    let asked = numbers
    sendBack { self.receiverReports.makeRequest(for: asked.span.extracting(..<count), into: &$0) }
  }

  private func hearBack() {
    while let delivery = backLink.receive(byNanoseconds: clock.nowNanoseconds) {
      answer(delivery.bytes)
    }
  }

  private func answer(_ datagram: [UInt8]) {
    let bytes = unsafe datagram.span.bytes
    guard RTCPCompound.isReducedSize(bytes) else {
      _ = try? senderReports.handle(bytes, nowNanoseconds: clock.nowNanoseconds)
      return
    }
    try? senderReports.handleFeedback(bytes, limit: 64) { number in
      guard budget.take(number, nowNanoseconds: clock.nowNanoseconds) else { return }
      send { self.talker.writeResent(number, into: &$0) }
    }
  }

  private func report(_ reports: PeerReports, sends: Bool) {
    guard clock.nowNanoseconds >= reports.nextReportNanoseconds else { return }
    let counters = SenderCounters(
      packets: sends ? talker.counters.packets : 0, payloadOctets: 0,
      currentTimestamp: talker.currentTimestamp)
    let losses = sends ? nil : stream.takeLossReport()
    let now = clock.nowNanoseconds
    let fill = { (bytes: inout MutableRawSpan) in
      reports.makeReport(sender: counters, losses: losses, nowNanoseconds: now, into: &bytes)
    }
    if sends { send(fill) } else { sendBack(fill) }
  }

  private func send(_ fill: (inout MutableRawSpan) -> Int) {
    let datagram = Self.datagram(fill)
    guard !datagram.isEmpty else { return }
    sentOctets += datagram.count
    link.send(datagram, atNanoseconds: clock.nowNanoseconds)
  }

  private func sendBack(_ fill: (inout MutableRawSpan) -> Int) {
    let datagram = Self.datagram(fill)
    if !datagram.isEmpty { backLink.send(datagram, atNanoseconds: clock.nowNanoseconds) }
  }

  private static func datagram(_ fill: (inout MutableRawSpan) -> Int) -> [UInt8] {
    var datagram = [UInt8](repeating: 0, count: 1200)
    var span = datagram.mutableSpan
    var raw = unsafe span.mutableBytes
    let count = fill(&raw)
    return Array(datagram[..<max(0, count)])
  }

  private func render() {
    let beat = clock.nowNanoseconds
    stream.grid = PlayoutGrid(
      beatNanoseconds: beat + 300_000, beatFrames: Int64(beats * settings.periodFrames),
      periodNanoseconds: Int64(settings.periodFrames) * 62_500 / 3, leadNanoseconds: 300_000)
    while ring.count < settings.periodFrames {
      var pcm = rendered.mutableSpan
      let count = stream.render(
        into: &pcm, dueNanoseconds: beat,
        playoutNanoseconds: beat + 300_000 + Int64(ring.count) * 62_500 / 3)
      if count == 0 { break }
      ring.append(contentsOf: rendered[..<count])
    }
    ring.append(contentsOf: repeatElement(0, count: max(0, settings.periodFrames - ring.count)))
    for frame in ring[..<settings.periodFrames] {
      greatestStep = max(greatestStep, abs(frame - last))
      last = frame
    }
    ring.removeFirst(settings.periodFrames)
  }
}
