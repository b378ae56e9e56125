internal import Cryptography
internal import Mesh
internal import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import ServiceLoop

/// One connection from TCP to its end, as the last handler of its NIO channel, behind TLS.
///
/// **States**: `securing` (TCP stands, TLS shakes hands) → `proving` (both ends prove their groups) → `open` (Mesh has
/// it), or → `pairing`; → `closing` (we closed, what is under way is being sent) → `over`. From the TCP connection to
/// `open` or `pairing` there are 5 s. Whatever comes that must not come leads to `over` at once, with a fault.
///
/// **Back-pressure**: while a message, or a frame of a pairing, waits to be taken, NIO's reads are held back, and the
/// clock of the message under way stands still. Runs on the event loop of ``Exchange`` only.
final class SecureConnection: ChannelDuplexHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Who wanted it.
  enum Origin {
    case dialled(AttemptID)
    case accepted
    case pairing(@Sendable (Result<PairingChannel, ControlPlaneError>) -> Void)
  }

  enum Phase {
    case securing, proving, open, pairing, closing, over
  }

  let origin: Origin
  let remote: NodeAddress?
  let exchange: Exchange
  /// The frames of a pairing.
  let pairing: PairingLine
  private(set) var phase = Phase.securing
  /// Whether Mesh has still to take it.
  var isBeingGiven = false

  private(set) var channel: (any Channel)?
  private var context: ChannelHandlerContext?
  private let certificate = PeerCertificate()
  private let outgoing: OutgoingOctets
  private var deadline: Scheduled<Void>?

  private var prover: GroupProver?
  private var id: ConnectionID?
  private var intake: MessageIntake
  private var isHandling = false
  private var isEndGiven = false
  private var messageTimer: Scheduled<Void>?

  init(_ origin: Origin, remote: NodeAddress?, exchange: Exchange) {
    self.origin = origin
    self.remote = remote
    self.exchange = exchange
    let limits = exchange.configuration.limits
    intake = MessageIntake(limits: limits.stranger)
    pairing = PairingLine(maximumBytes: limits.pairingBytes)
    outgoing = OutgoingOctets(loop: exchange.loop, configuration: exchange.configuration)
  }

  var attempt: AttemptID? { if case .dialled(let attempt) = origin { attempt } else { nil } }

  var host: NodeAddress.Host? { remote?.host }
  /// Who is at the other end, as TLS proved.
  var peer: NodeID? { certificate.node }
  /// By which key.
  var peerKey: PublicKey? { certificate.key }
  /// Whether the other end proves to hold the secret of a group of ours.
  var provesGroup: Bool { prover?.isProved ?? false }
  /// What is held here, as ``Exchange`` knows it.
  var countedBytes: Int { intake.countedBytes }

  /// What the other end has to be told that we want; nil where it tells.
  private var purpose: Purpose? {
    switch origin {
    case .dialled: .control
    case .accepted: nil
    case .pairing: .pairing
    }
  }

  /// Of a steady clock.
  static var nowNanoseconds: Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

  /// Puts TLS and itself into a new channel.
  func install(in channel: any Channel) throws {
    guard phase == .securing else { throw ChannelError.alreadyClosed }
    self.channel = channel
    channel.closeFuture.whenComplete { _ in self.exchange.forget(self) }
    let secure = try certificate.handler(exchange.contexts, purpose: purpose)
    try channel.pipeline.syncOperations.addHandler(secure)
    try channel.pipeline.syncOperations.addHandler(self)
  }

  // MARK: NIO's events

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    let times = exchange.configuration.times
    deadline = exchange.loop.scheduleTask(in: .nanoseconds(times.proofNanoseconds)) {
      self.fail(.lateProof, "it took too long to prove its identity")
    }
    if let attempt { exchange.events.give(.securing(attempt)) }
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted(let negotiated) = event {
      becomeSecure(negotiated)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func becomeSecure(_ negotiated: String?) {
    guard phase == .securing else { return }
    guard let peer else {
      return fail(.foreignKey, "it showed no certificate in this handshake")
    }
    guard let chosen = negotiated.flatMap(Purpose.init(rawValue:)), chosen == purpose ?? chosen
    else {
      return fail(.wrongPurpose, "it offers neither protocol, talk or pair")
    }
    switch chosen {
    case .control: beginProof(with: peer)
    case .pairing: beginPairing()
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let octets = Array(unwrapInboundIn(data).readableBytesView)
    switch phase {
    case .proving, .open:
      intake.append(octets)
      giveNext()
      countHeld()
    case .pairing: takePairing(octets)
    case .securing, .closing, .over: break
    }
  }

  func read(context: ChannelHandlerContext) {
    if mayRead {
      context.read()
    } else {
      intake.pause(nowNanoseconds: Self.nowNanoseconds)
    }
  }

  private var mayRead: Bool {
    switch phase {
    case .open: !isHandling && intake.isEmpty
    case .pairing: !pairing.hasFrame
    case .securing, .proving, .closing, .over: true
    }
  }

  /// Reads on where nothing waits any more.
  func resumeReading() {
    guard intake.isPaused, mayRead else { return }
    intake.resume(nowNanoseconds: Self.nowNanoseconds)
    armMessageTimer()
    context?.read()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let words = SystemWords.of(error)
    switch phase {
    case .securing where certificate.isForeign:
      fail(.foreignKey, "its certificate has no Ed25519 key")
    case .securing, .proving:
      fail(SystemWords.isEnd(error) ? .gone : .tls, words)
    case .open, .pairing: fail(.broken, words)
    case .closing, .over: cut()
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    switch phase {
    case .securing, .proving: fail(.gone, "it disconnected before it proved its identity")
    case .open, .pairing, .closing: end(nil)
    case .over: break
    }
  }

  // MARK: What goes out

  /// Whether the kernel has all that was written, and more may be.
  var isClear: Bool { phase == .open && outgoing.waitingBytes == 0 }

  func write(_ message: Message) { write(message.frame()) }

  /// - Parameter whenWritten: called on the event loop, when the kernel has it, or never will.
  func write(_ octets: [UInt8], whenWritten: @escaping (Bool) -> Void = { _ in }) {
    guard let context, phase != .closing, phase != .over, !octets.isEmpty else {
      return whenWritten(false)
    }
    let id = id
    guard outgoing.hasRoom(for: octets.count) else {
      whenWritten(false)
      return fail(.stalled, outgoing.stallWords)
    }
    let isDone: (Bool) -> Void = { [self] isWritten in
      whenWritten(isWritten)
      if let id, isClear { exchange.lanes.isClear(id) }
    }
    outgoing.write(octets, in: context, whenWritten: isDone) { [self] in
      if phase != .over { fail(.stalled, outgoing.stallWords) }
    }
  }

  // MARK: Messages that come

  /// Tells how much is held here now; ends this or another connection where that is too much.
  private func countHeld() {
    let change = intake.countChange(isOver: phase == .over)
    if change != 0 { exchange.noteHeld(changeBytes: change) }
  }

  /// Lets go of what came and is not decoded.
  private func clearHeld() {
    intake.clear()
    countHeld()
  }

  /// The other end was admitted: its messages may be as long as a member's.
  func raiseLimit() { intake.limits = exchange.configuration.limits.member }

  /// Takes messages out until one goes to Mesh, which handles it first, and gives the end after all of them.
  private func giveNext() {
    do {
      while !isHandling, mayDecode, !intake.isEmpty {
        guard let message = try intake.next(nowNanoseconds: Self.nowNanoseconds) else { break }
        take(message)
      }
    } catch {
      fail(error)
    }
    guard !isHandling else { return }
    if phase == .over { return giveEnd() }
    armMessageTimer()
    resumeReading()
  }

  /// What came before the other end closed is still good.
  private var mayDecode: Bool {
    switch phase {
    case .proving, .open: true
    case .over: id != nil
    case .securing, .pairing, .closing: false
    }
  }

  private func take(_ message: Message) {
    switch (message, phase) {
    case (.challenge, .over), (.groupProof, .over): break
    case (.challenge(let challenge), _): take(challenge)
    case (.groupProof(let proof), _): take(proof)
    case (.lane, .over): break
    case (.lane(let frame), .open): if let id { exchange.lanes.take(frame, on: id) }
    case (_, .proving): fail(.outOfTurn, "it sent a message before its group proof")
    default: give(message)
    }
  }

  private func give(_ message: Message) {
    guard let id else { return }
    isHandling = true
    exchange.events.give(.received(message, id)) { [self] in
      exchange.gate.run {
        self.isHandling = false
        self.giveNext()
        self.countHeld()
      }
    }
  }

  private func giveEnd() {
    guard let id, !isEndGiven else { return }
    isEndGiven = true
    exchange.events.give(.closed(id))
  }

  private func fail(_ error: MeshError) {
    if case .version(let major, let minor) = error {
      // Short enough to be sent whole; a decline of any version has its words there.
      let words = "you speak protocol \(major).\(minor), this node \(MessageVersion.current)"
      write(.decline(Decline(words: "\(words): update the older")))
    }
    fail(ControlFault.Reason(error), error.description)
  }

  /// Cuts a message that is begun and not finished.
  private func armMessageTimer() {
    guard messageTimer == nil,
      let wait = intake.waitNanoseconds(nowNanoseconds: Self.nowNanoseconds)
    else { return }
    messageTimer = exchange.loop.scheduleTask(in: .nanoseconds(wait)) { [self] in
      messageTimer = nil
      guard phase == .open || phase == .proving, !intake.isPaused else { return }
      do throws(MeshError) {
        try intake.check(nowNanoseconds: Self.nowNanoseconds)
      } catch {
        return fail(error)
      }
      armMessageTimer()
    }
  }

  // MARK: The proof of groups

  private func beginProof(with peer: NodeID) {
    phase = .proving
    do {
      let prover = try GroupProver(
        own: exchange.own, peer: peer, mostProofs: exchange.configuration.limits.proofs)
      self.prover = prover
      write(.challenge(prover.challenge))
    } catch {
      fail(.system, "\(error)")
    }
  }

  /// Takes the other's challenge and answers it.
  private func take(_ challenge: Challenge) {
    guard prover?.take(challenge) == true else {
      return fail(.outOfTurn, "it sent a second challenge")
    }
    sendProof(of: exchange.groups())
    openIfProved()
  }

  /// Takes the other's first proof, or one of its groups as they are now.
  private func take(_ proof: GroupProof) {
    guard prover?.take(proof, nowNanoseconds: Self.nowNanoseconds) == true else {
      return fail(.proofFlood, "it repeats its group proofs too often")
    }
    guard phase == .open else { return openIfProved() }
    if prover?.judge(by: exchange.groups()) == true { exchange.reportProving() }
  }

  private func openIfProved() {
    guard phase == .proving, prover?.isComplete == true, let peer else { return }
    deadline?.cancel()
    _ = prover?.judge(by: exchange.groups())
    guard let id = exchange.open(self, node: peer, provesGroup: provesGroup) else {
      return endSilently()
    }
    self.id = id
    phase = .open
  }

  /// Proves, and judges, by other groups than before.
  func proveAnew(_ groups: [Group]) {
    guard phase == .open || phase == .proving else { return }
    sendProof(of: groups)
    if phase == .open { _ = prover?.judge(by: groups) }
  }

  /// Sends our proof, unless it is the one that the other end has.
  private func sendProof(of groups: [Group]) {
    guard let proof = prover?.nextProof(of: groups) else { return }
    write(.groupProof(proof))
  }

  // MARK: A pairing, and the end

  private func beginPairing() {
    deadline?.cancel()
    guard let channel = PairingChannel(self) else { return }
    switch origin {
    case .dialled: fail(.wrongPurpose, "it wants to pair")
    case .pairing(let answer):
      phase = .pairing
      answer(.success(channel))
    case .accepted:
      guard exchange.beginPairing(of: host) else {
        return fail(.pairingBusy, "too many nodes want to pair at once")
      }
      phase = .pairing
      pairing.takePlace()
      exchange.release(self)
      exchange.events.pair(channel)
    }
  }

  /// Something that must not be: the connection ends at once.
  func fail(_ reason: ControlFault.Reason, _ words: String) {
    guard phase != .over else { return }
    guard phase != .closing else { return cut() }
    end(
      ControlFault(
        reason, words, remote: remote, node: phase == .securing ? nil : peer, attempt: attempt,
        connection: id), keepsHeld: reason == .broken)
    cut()
  }

  /// We want it no more: what is under way is sent, and TLS's goodbye, within a bounded time.
  func close() {
    switch phase {
    case .open, .pairing:
      if phase == .pairing { endPairing(.connection(words: "it is closed")) }
      phase = .closing
      clearHeld()
      stopTimers()
      if let id { exchange.retire(id) }
      context?.close(promise: nil)
      resumeReading()
    case .securing, .proving: endSilently()
    case .closing, .over: break
    }
  }

  /// Nobody waits for it any more.
  func endSilently() {
    guard phase != .over else { return }
    if let attempt { _ = exchange.finish(attempt) }
    end(nil)
    cut()
  }

  /// Closes the socket now, past TLS.
  func cut() {
    guard let channel else { return }
    let pipeline = channel.pipeline.syncOperations
    if let secure = try? pipeline.context(handlerType: NIOSSLHandler.self) {
      secure.close(promise: nil)
    } else {
      channel.close(promise: nil)
    }
  }

  /// Tells whoever waits for it that it is over.
  ///
  /// - Parameter keepsHeld: whether messages that came are still good.
  private func end(_ fault: ControlFault?, keepsHeld: Bool = true) {
    let last = phase
    guard last != .over else { return }
    phase = .over
    keepsHeld ? countHeld() : clearHeld()
    stopTimers()
    if let fault { exchange.events.note(fault) }
    exchange.release(self)
    switch last {
    case .securing, .proving: endAttempt(fault?.words ?? "attempt given up")
    case .open:
      if let id { exchange.retire(id) }
      giveNext()
    case .pairing: endPairing(.connection(words: fault?.words ?? "the other node closed it"))
    case .closing, .over: break
    }
  }

  private func endAttempt(_ words: String) {
    switch origin {
    case .dialled(let attempt):
      if exchange.finish(attempt) { exchange.events.give(.failed(attempt)) }
    case .accepted: break
    case .pairing(let answer): answer(.failure(.connection(words: words)))
    }
  }

  private func stopTimers() {
    deadline?.cancel()
    messageTimer?.cancel()
    (deadline, messageTimer) = (nil, nil)
    outgoing.end()
  }
}
