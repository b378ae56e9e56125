internal import Cryptography
internal import Mesh
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

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
  var phase = Phase.securing
  /// Whether Mesh has still to take it.
  var isBeingGiven = false

  var channel: (any Channel)?
  var context: ChannelHandlerContext?
  /// Shown, and proved, in this handshake.
  var peerKey: PublicKey?
  var isForeign = false
  var deadline: Scheduled<Void>?

  var prover: GroupProver?
  var provesGroup = false
  var lastProof: GroupProof?
  var proofCount = 0
  var proofsSinceNanoseconds: Int64 = 0

  var id: ConnectionID?
  var decoder: MessageDecoder
  var held = HeldOctets()
  /// What is held here, as ``Exchange`` knows it.
  private(set) var countedBytes = 0
  var isHandling = false
  var isEndGiven = false
  var wantsRead = false
  var pausedSinceNanoseconds: Int64?
  var pausedNanoseconds: Int64 = 0
  var messageTimer: Scheduled<Void>?

  var pairing: PairingState

  var waitingBytes = 0
  var writtenCount = 0
  var stallTimer: Scheduled<Void>?

  init(_ origin: Origin, remote: NodeAddress?, exchange: Exchange) {
    self.origin = origin
    self.remote = remote
    self.exchange = exchange
    let limits = exchange.configuration.limits
    decoder = MessageDecoder(limits: limits.stranger)
    pairing = PairingState(maximumBytes: limits.pairingBytes)
  }

  var attempt: AttemptID? { if case .dialled(let attempt) = origin { attempt } else { nil } }

  var host: NodeAddress.Host? { remote?.host }
  var peer: NodeID? { peerKey.map(NodeID.init(of:)) }

  /// What the other end has to be told that we want; nil where it tells.
  private var purpose: Purpose? {
    switch origin {
    case .dialled: .control
    case .accepted: nil
    case .pairing: .pairing
    }
  }

  /// Tells how much is held here now; ends this or another connection where that is too much.
  func countHeld() {
    let bytes = phase == .over ? 0 : held.byteCount + decoder.heldBytes
    let change = bytes - countedBytes
    countedBytes = bytes
    if change != 0 { exchange.noteHeld(changeBytes: change) }
  }

  /// Lets go of what came and is not decoded.
  func clearHeld() {
    held.clear()
    decoder = MessageDecoder(limits: decoder.limits)
    countHeld()
  }

  /// Puts TLS and itself into a new channel.
  func install(in channel: any Channel) throws {
    guard phase == .securing else { throw ChannelError.alreadyClosed }
    self.channel = channel
    channel.closeFuture.whenComplete { _ in self.exchange.forget(self) }
    let verify: NIOSSLCustomVerificationCallback = { [weak self] certificates, promise in
      promise.succeed(self?.takesKey(of: certificates) == true ? .certificateVerified : .failed)
    }
    let contexts = exchange.contexts
    let secure: NIOSSLHandler =
      switch purpose {
      case nil:
        NIOSSLServerHandler(
          context: contexts.accepting, customVerificationCallback: verify)
      case .control:
        try NIOSSLClientHandler(
          context: contexts.dialling, serverHostname: nil, customVerificationCallback: verify)
      case .pairing:
        try NIOSSLClientHandler(
          context: contexts.pairing, serverHostname: nil, customVerificationCallback: verify)
      }
    try channel.pipeline.syncOperations.addHandler(secure)
    try channel.pipeline.syncOperations.addHandler(self)
  }

  /// The key of whoever is at the other end; TLS proves that it holds it.
  private func takesKey(of certificates: [NIOSSLCertificate]) -> Bool {
    peerKey = certificates.first.flatMap { try? $0.toDERBytes() }
      .flatMap(NodeCertificate.key(in:))
    isForeign = peerKey == nil
    return !isForeign
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
    case .proving, .open: take(octets)
    case .pairing: takePairing(octets)
    case .securing, .closing, .over: break
    }
  }

  func read(context: ChannelHandlerContext) {
    if mayRead {
      context.read()
    } else {
      wantsRead = true
      pausedSinceNanoseconds = pausedSinceNanoseconds ?? Self.nowNanoseconds
    }
  }

  private var mayRead: Bool {
    switch phase {
    case .open: !isHandling && held.isEmpty
    case .pairing: !pairing.cutter.hasFrame
    case .securing, .proving, .closing, .over: true
    }
  }

  /// Reads on where nothing waits any more.
  func resumeReading() {
    guard wantsRead, mayRead else { return }
    wantsRead = false
    if let pausedSinceNanoseconds {
      pausedNanoseconds += Self.nowNanoseconds - pausedSinceNanoseconds
    }
    pausedSinceNanoseconds = nil
    armMessageTimer()
    context?.read()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let words = SystemWords.of(error)
    switch phase {
    case .securing where isForeign:
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

  /// Of a steady clock.
  static var nowNanoseconds: Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }
}

/// What a connection is for, as ALPN tells (RFC 7301).
enum Purpose: String, CaseIterable, Sendable {
  /// Messages between nodes.
  case control = "comlink/1"
  /// A pairing by PIN.
  case pairing = "comlink-pair/1"
}
