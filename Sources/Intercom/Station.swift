import Audio
import Cryptography
import EventLoop
import Media
import RTP

/// The node's media path: everything that happens once a JACK period, on the loop thread and nowhere else.
///
/// ``Intercom`` owns it and is the only way in for other threads. No function here that runs per period or per packet
/// allocates or suspends. A datagram passes exactly one place on its way in
/// (``datagramReceived(_:from:arrivalNanoseconds:)``); whatever goes out is written by ``makeMedia(_:into:fill:)`` or
/// ``makeReport(into:fill:)``. There SRTP unprotects and protects.
final class Station: EventLoopHandler {
  /// Opus' dynamic payload type (RFC 7587 leaves the number to the application).
  static let payloadType: UInt8 = 111
  /// Of packets with copies (RFC 2198) and of packets sent again (RFC 4588).
  static let redundantPayloadType: UInt8 = 112
  static let resentPayloadType: UInt8 = 113
  static let codecRate = 48_000
  /// Datagrams a second up to which each may wake the loop.
  private static let mostSeldomDatagrams = 60
  /// What one who does not talk sends: RTCP, and "nobody talks" each 400 ms.
  private static let silentDatagrams = 3

  let configuration: IntercomConfiguration
  /// What this node calls itself now.
  var ownName: String
  let engine: AudioEngine
  let endpoint: any DatagramEndpoint
  let ports: any PeerPorts
  let talker: Talker
  let capture: CaptureSource
  let identity: Identity
  /// The keys, and whose they are.
  let protection: MediaProtection
  /// The time now, which has gone on since the wake-up.
  let clock: () -> Int64
  /// How long the loop's thread has run.
  let threadCPU: () -> Int64
  let report: @Sendable (IntercomEvent) -> Void

  let streams: StreamReserve
  /// A peer could be connected, but for a stream.
  var awaitsStream = false
  var peers: PeerTable
  var freeSlots: [PeerSlot]
  /// Slots whose port JACK's session has yet to be told to take away.
  var unclearedSlots: Set<PeerSlot> = []
  /// All connected peers; rebuilt when one comes or goes or needs other copies.
  var listeners: [Listener] = []
  /// The different packets made of each frame.
  var recipes: [RepairRecipe] = []
  /// Room for the packets asked for in one datagram.
  var requestNumbers: [SequenceNumber]
  /// Settings of members by their ID, kept while they are away.
  var settingsByNode: [NodeID: PeerSettings] = [:]
  var memberNames: MemberNames
  var rendered: [Float]
  var drops = DatagramDrops()
  var wakeLatency = LatencyHistogram()
  var maxima = StationMaxima()
  var beat = Beat()
  var lead = RenderLead()
  var pace = WorkPace()
  var punctuality = Punctuality()
  /// Frames that callbacks did not find, of all peers.
  var underruns = UnderrunCauses()
  /// Packets sent again since the last wake-up.
  var resentThisWake = 0
  /// The callback that decoding is to come before; nil: nothing plays or waits.
  var awaitedCallback: UInt64?
  /// How much sooner than at the last moment the loop wants to wake for it.
  var earlinessNanoseconds: Int64 = 0
  /// That moment; nil: it is the last one.
  var earlyMoment: Int64?
  var isTalking = true
  /// How little of the microphone is looked at; see `Station+Sending.swift`.
  var rest = CaptureRest.none
  /// Told of each change of what the user set, on the loop thread; must not block.
  var mixChanged: @Sendable (Mix) -> Void = { _ in }
  /// Told of each change of what members are called, on the loop thread; must not block.
  var namesChanged: @Sendable (NameMemory) -> Void = { _ in }
  /// Looks whether JACK is well, a few times a second, on the loop thread; must not block.
  var lookAtSound: (_ nowNanoseconds: Int64) -> Void = { _ in }
  /// Where a recorder gets all sound; nil: nobody records.
  var tap: RecordingTap?
  /// After the end nothing is sent or believed any more, or peers would take us for back again.
  var hasEnded = false
  /// How frames are coded now; as configured, or at less where the ways to peers take no more.
  var coding: VoiceCoding
  /// What the last look found best.
  var wantedCoding: VoiceCoding?
  /// What waits for a pause, as packets of another length or mode can be heard to begin; and until when at most.
  var awaitedCoding: (coding: VoiceCoding, untilNanoseconds: Int64)?
  let codings: CodingPlan
  /// The recipes that go with `coding`.
  var plan: RepairPlan
  var nextPlanNanoseconds: Int64 = 0
  var nextHousekeepingNanoseconds: Int64 = 0
  var nextRateNanoseconds: Int64 = 0
  var admissions = AdmissionBudget()
  /// Knocks that are passed on; hearsay, and anybody may send some.
  var knocks = KnockBudget()
  /// Gets them, on the loop thread; must not block.
  var knockHeard: @Sendable (NodeID) -> Void = { _ in }
  /// The test that runs, their count, and the last that brought a recording.
  var test: (any StationTest)?
  var testNumber = 0
  var lastEcho: (number: Int, test: EchoTest)?
  /// Whose voice is sent back, if anybody's.
  var loopBack: LoopBack?
  /// What must not be guessed: the origins of reference times, of sequence numbers and time stamps.
  var random: any RandomNumberGenerator

  /// Wires the parts; all buffers are allocated here.
  init(
    configuration: IntercomConfiguration, identity: Identity, engine: AudioEngine,
    endpoint: any DatagramEndpoint, ports: any PeerPorts, encoders: TalkerEncoders,
    protection: MediaProtection, streams: StreamReserve,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
    clock: @escaping () -> Int64 = EventLoop.nowNanoseconds,
    threadCPU: @escaping () -> Int64 = EventLoop.threadCPUNanoseconds,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    var random = random
    self.configuration = configuration
    ownName = configuration.name
    self.identity = identity
    self.protection = protection
    self.streams = streams
    self.engine = engine
    self.endpoint = endpoint
    self.ports = ports
    self.clock = clock
    self.threadCPU = threadCPU
    self.report = report
    memberNames = MemberNames(configuration.nameMemory)
    coding = configuration.coding
    codings = CodingPlan(
      usual: coding, hasSpeechMode: encoders.speech != nil)
    plan = codings.recipes(of: coding)
    talker = Talker(
      configuration: TalkerConfiguration(
        ssrc: identity.ssrc, payloadType: Self.payloadType,
        redundantPayloadType: Self.redundantPayloadType,
        resentPayloadType: Self.resentPayloadType,
        framesPerPacket: configuration.framesPerPacket,
        firstSequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: random.next())),
        firstTimestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: random.next())),
        usesDTX: true),
      encoders: encoders)
    self.random = random
    capture = CaptureSource(engine: engine, framesPerPacket: configuration.framesPerPacket)
    peers = PeerTable(capacity: configuration.maximumPeers * MediaMember.mostAddresses)
    freeSlots = PeerSlot.all.reversed()
    listeners.reserveCapacity(configuration.maximumPeers)
    recipes.reserveCapacity(Self.mostRecipes + 2)
    requestNumbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 32)
    rendered = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
    engine.setTalking(isTalking)
    followWakeThreshold()
  }

  /// One wake-up: sound out to the network, sound in to the ears, then what has time (it waits for the next wake-up,
  /// which comes soon enough).
  func woke(at wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Int64 {
    guard !hasEnded else { return .max }
    resentThisWake = 0
    if let woken = engine.takeWakeNanoseconds() {
      wakeLatency.add(nanoseconds: wokenNanoseconds - woken)
    }
    punctuality.begin(atNanoseconds: wokenNanoseconds)
    pace.mark(nowNanoseconds)
    let wasRunning = beat.isRunning
    beat.update(engine.periodTime(), nowNanoseconds: nowNanoseconds)
    tap?.follow(beat)
    if beat.isRunning != wasRunning { audioChanged() }
    var isSending = false
    if beat.isRunning {
      followRate()
      changeCodingIfDue(nowNanoseconds: nowNanoseconds)
      isSending = sendCaptured()
      sendRequests(nowNanoseconds: nowNanoseconds)
    }
    stepTest(nowNanoseconds: nowNanoseconds)
    if awaitsStream { connectWaiting() }
    let renderDeadline = renderDue(nowNanoseconds: nowNanoseconds, isSending: isSending)
    tap?.publish(beat)
    if nowNanoseconds >= nextHousekeepingNanoseconds { keepHouse(nowNanoseconds: nowNanoseconds) }
    pace.rest()
    punctuality.end(
      atNanoseconds: clock(), cpuNanoseconds: threadCPU(), dueNanoseconds: renderDeadline,
      leadNanoseconds: beat.leadNanoseconds(wanted: lead.nanoseconds) + earlinessNanoseconds)
    followRest()
    // What is missing is asked for when its time is over, with or without a datagram.
    let isRepairing = isRepairing
    let isAlert = !isRepairing && hasSeldomDatagrams
    if isAlert { endpoint.wakeOnDatagram() }
    let drainDeadline =
      nowNanoseconds
      + beat.drainNanoseconds(isAlert: isAlert, isHasty: renderDeadline == .max || isRepairing)
    return min(renderDeadline, drainDeadline)
  }

  /// Whether datagrams come so seldom that each had better wake the loop than that it looks for them all the time: of
  /// those who are silent, or talk in long packets.
  private var hasSeldomDatagrams: Bool {
    var aSecond = 0
    for listener in listeners {
      guard aSecond <= Self.mostSeldomDatagrams else { return false }
      guard let stream = listener.peer.stream, stream.isSounding else {
        aSecond += Self.silentDatagrams
        continue
      }
      aSecond += Self.codecRate / max(1, stream.packetFrames)
    }
    return aSecond <= Self.mostSeldomDatagrams
  }

  /// What was captured or buffered while no audio ran is history: both directions start anew.
  private func audioChanged() {
    capture.discardAll()
    for peer in peers.all { peer.stream?.reset() }
  }

  private func followRate() {
    guard beat.rateChanged() else { return }
    followWakeThreshold()
    for peer in peers.all { peer.stream?.deviceRate = beat.sampleRate }
    do {
      try capture.setRate(beat.sampleRate)
    } catch {
      report(.audioFault("cannot resample from \(beat.sampleRate) Hz: \(error)"))
    }
  }
}
