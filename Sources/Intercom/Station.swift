import Audio
import Cryptography
import EventLoop
import Habits
import Lines
import Media
import Mesh
import RTP

/// The node's media path: everything that happens once a JACK period, on the loop thread and nowhere else.
///
/// ``Intercom`` owns it and is the only way in for other threads. It wires its parts, each of which owns its state:
/// ``CapturePath`` (from the microphone to what is sent), ``PlayoutScheduler`` (when to decode), ``Roster`` (members,
/// their sessions and paths), ``RepairDesk`` (what is done against loss), ``Taps`` (recorders), ``TestDesk``. A
/// datagram has one way in (``DatagramInlet``) and one way out (``PacketOutlet``), where SRTP unprotects and protects.
/// No function that runs per period or per packet allocates or suspends.
final class Station: EventLoopHandler {
  /// Datagrams a second up to which each may wake the loop.
  private static let mostSeldomDatagrams = 60

  let configuration: IntercomConfiguration
  let engine: AudioEngine
  let endpoint: any DatagramEndpoint
  /// The keys of what is sent.
  let protection: MediaProtection
  let drops: DatagramDrops
  let microphone: Microphone
  let capture: CapturePath
  let playout: PlayoutScheduler
  let repair: RepairDesk
  let taps: Taps
  let slots: Slots
  let tests: TestDesk
  let ear: EarDesk
  let mix = MixBook()
  let streams: StreamDesk
  let roster: Roster
  let knocks: KnockDesk
  let house: Housekeeping
  private let inlet: DatagramInlet
  /// After the end nothing is sent or believed any more, or peers would take us for back again.
  private(set) var hasEnded = false

  /// Wires the parts; all buffers are allocated here.
  init(
    configuration: IntercomConfiguration, identity: Identity, engine: AudioEngine,
    endpoint: any DatagramEndpoint, ports: any PeerPorts, encoders: TalkerEncoders,
    inputs inputEncoders: [TalkerEncoders] = [],
    protection: MediaProtection, streams reserve: StreamReserve,
    levels: LevelBlock = LevelBlock(),
    random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
    clock: @escaping () -> Int64 = EventLoop.nowNanoseconds,
    threadCPU: @escaping () -> Int64 = EventLoop.threadCPUNanoseconds,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    var random = random
    (self.configuration, self.engine) = (configuration, engine)
    (self.endpoint, self.protection) = (endpoint, protection)
    drops = DatagramDrops()
    let pace = WorkPace(clock: clock)
    taps = Taps(engine)
    slots = Slots(engine: engine, ports: ports, client: configuration.jackClient, report: report)
    microphone = Microphone(engine: engine, sidetoneDecibels: configuration.sidetoneDecibels)
    tests = TestDesk(engine: engine, slots: slots, microphone: microphone)
    ear = EarDesk(engine: engine, slots: slots)
    playout = PlayoutScheduler(engine: engine, pace: pace, clock: clock, threadCPU: threadCPU)
    streams = StreamDesk(
      engine: engine, slots: slots, reserve: reserve, playout: playout, taps: taps, tests: tests,
      buses: BusDesk(engine: engine, slots: slots, configuration.buses), report: report)
    let outlet = PacketOutlet(endpoint: endpoint, protection: protection, drops: drops)
    let coding = TalkerConfiguration(
      of: identity.ssrc, framesPerPacket: configuration.framesPerPacket, using: &random)
    let talker = Talker(configuration: coding, encoders: encoders)
    capture = CapturePath(
      engine: engine, microphone: microphone,
      voice: VoiceDesk(configuration.voice, framesPerPacket: configuration.framesPerPacket),
      outlet: outlet, protection: protection, pace: pace, taps: taps, talker: talker,
      inputs: FurtherInput.all(configuration.inputs, coding, inputEncoders), report: report)
    repair = RepairDesk(
      configuration: configuration, hasSpeechMode: encoders.speech != nil, capture: capture,
      outlet: outlet, protection: protection)
    let guests = GuestDesk(
      engine: engine, streams: streams, slots: slots, taps: taps, outlet: outlet)
    roster = Roster(
      configuration: configuration, identity: identity, outlet: outlet, protection: protection,
      capture: capture, repair: repair, streams: streams, mix: mix, drops: drops, random: random,
      report: report)
    knocks = KnockDesk(outlet: outlet, drops: drops)
    inlet = DatagramInlet(
      protection: protection, roster: roster, repair: repair, knocks: knocks, drops: drops,
      pace: pace)
    house = Housekeeping(
      engine: engine, roster: roster, guests: guests, slots: slots, tests: tests,
      microphone: microphone, levels: levels)
  }

  /// The guests of this node.
  var guests: GuestDesk { house.guests }

  /// One wake-up: sound out to the network, sound in to the ears, then what has time (it waits for the next wake-up,
  /// which comes soon enough).
  func woke(at wokenNanoseconds: Int64, nowNanoseconds: Int64) -> Int64 {
    guard !hasEnded else { return .max }
    repair.begin()
    let isTurn = playout.begin(wokenNanoseconds: wokenNanoseconds, nowNanoseconds: nowNanoseconds)
    let beat = playout.beat
    taps.follow(beat)
    if isTurn { capture.discardAll() }
    let isSending = beat.isRunning && send(nowNanoseconds: nowNanoseconds)
    guests.pass(repair.recipes, to: roster.connected)
    tests.step(beat, nowNanoseconds: nowNanoseconds)
    taps.voice.step(beat)
    ear.step(beat)
    roster.connectWaiting()
    let renderDeadline = playout.renderDue(
      nowNanoseconds: nowNanoseconds, isSending: isSending,
      sentFrames: repair.coding.framesPerPacket)
    taps.publish(beat)
    house.keep(nowNanoseconds: nowNanoseconds)
    playout.end(dueNanoseconds: renderDeadline)
    followRest()
    return min(renderDeadline, nowNanoseconds + drainNanoseconds(isIdle: renderDeadline == .max))
  }

  /// Sends what was captured, and asks for what is missed.
  ///
  /// - Returns: whether there was sound to send.
  private func send(nowNanoseconds: Int64) -> Bool {
    if let rate = playout.takeNewRate() { capture.setRate(rate) }
    repair.changeCodingIfDue(for: roster.connected, nowNanoseconds: nowNanoseconds)
    let isSending = capture.send(repair.recipes, to: roster.connected)
    repair.sendRequests(to: roster.connected, nowNanoseconds: nowNanoseconds)
    return isSending
  }

  /// How long the loop may sleep before it looks at the socket.
  ///
  /// What is missing is asked for when its time is over, with or without a datagram. Of those who are silent, or talk
  /// in long packets, datagrams come so seldom that each had better wake the loop.
  private func drainNanoseconds(isIdle: Bool) -> Int64 {
    let isRepairing = repair.isRepairing(for: roster.connected) || playout.waitsForRepairs
    let limit = Self.mostSeldomDatagrams
    let isAlert = !isRepairing && playout.expectedDatagrams(limit: limit) <= limit
    if isAlert { endpoint.wakeOnDatagram() }
    return playout.beat.drainNanoseconds(isAlert: isAlert, isHasty: isIdle || isRepairing)
  }

  private func followRest() {
    capture.followRest(
      hasListeners: !roster.connected.isEmpty,
      isUsed: tests.isBusy || ear.isBusy || !taps.isEmpty || !guests.isEmpty
        || streams.awaitsStream)
  }

  /// Every datagram's way in; bytes may be anything.
  func datagramReceived(
    _ bytes: RawSpan, from address: SocketAddress, arrivalNanoseconds: Int64
  ) {
    guard !hasEnded else { return }
    inlet.take(bytes, from: address, arrivalNanoseconds: arrivalNanoseconds)
  }

  /// Falls silent for good.
  func end() { hasEnded = true }
}

/// What the user and the membership ask for. Rare, and may allocate.
extension Station {
  /// The key of the line that all are on, alone.
  func setTalk(_ isOn: Bool) {
    capture.talk(to: isOn ? nil : [])
    mix.setTalk(isOn)
  }

  /// Takes whom the microphone goes to, and of whom what is played.
  func follow(_ routing: LineRouting) {
    roster.follow(routing)
    guests.follow(routing)
    ear.follow(routing.ear)
    ear.callTone.follow(isCalled: routing.isCalled, decibels: routing.ear.callToneDecibels)
    capture.aimInputs(at: routing.inputs)
    // What was captured before a key closes passes as it began.
    if routing.isUntreated { capture.voice.isBypassed = true }
    capture.talk(
      to: routing.tellsLines || routing.talk.isEmpty ? routing.talk : nil,
      audiences: routing.audiences)
    capture.voice.isBypassed = routing.isUntreated
    capture.linesChanged()
  }

  /// Goes on with the mix of a former run, before there are members.
  func restore(_ mix: Mix) {
    self.mix.restore(mix)
    capture.talk(to: mix.isTalking ? nil : [])
  }

  /// Lets a member in, or follows what it tells; false: there is no room for one more.
  @discardableResult
  func admit(_ member: Member, nowNanoseconds: Int64) -> Bool {
    guard roster.admit(member, nowNanoseconds: nowNanoseconds) else { return false }
    knocks.know(member.node)
    return true
  }

  /// Sends a source to one more audience under a number that is free; nil: it is not any more,
  /// or there is no such source.
  func open(
    _ number: Int, of source: Int = 0, _ audience: StreamAudience, _ listeners: StreamListeners,
    _ key: consuming SRTPSendingKey, epoch: UInt64
  ) -> OwnStream? {
    guard !hasEnded, protection.stream(number) == nil,
      let name = capture.name(ofSource: source)
    else { return nil }
    let (ssrc, first) = roster.drawStream()
    let stream = OwnStream(
      number, ssrc: ssrc, source: StreamSourceName(number: source, name: name), audience: audience,
      listeners: listeners,
      key: key, epoch: epoch)
    guard capture.open(stream, firstSequenceNumber: first) else { return nil }
    protection.add(stream)
    roster.follow(stream)
    if source == 0 { capture.streamsChanged() }
    return stream
  }

  /// Ends a stream of this node.
  func close(_ stream: OwnStream) {
    roster.follow(stream, isOver: true)
    capture.close(stream)
    protection.remove(stream)
  }

  /// Tells another node that this one is up.
  func sendKnocks(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) {
    guard !hasEnded else { return }
    knocks.send(at: other, addresses, as: node)
  }

  /// The network changed: whoever is not heard may be in reach now.
  func networkChanged(nowNanoseconds: Int64) {
    guard !hasEnded else { return }
    roster.introduceToMembers(nowNanoseconds: nowNanoseconds)
  }

  /// Talkers there are now, the own microphone among them: so many tapes are needed at once.
  var talkerCount: Int { 1 + playout.streams.count }

  /// Puts all sound from now on on the deck's tapes.
  func beginRecording(on deck: TapeDeck) {
    taps.begin(deck, of: roster.connected, beat: playout.beat, nodeName: roster.ownName)
  }

  /// Puts nothing on that deck any more; what was captured up to now is on it.
  func endRecording(on deck: TapeDeck) { taps.end(deck, of: roster.connected) }
}
