internal import ControlPlane
internal import Cryptography
internal import EventLoop
internal import Intercom
internal import Logging
internal import Mesh
internal import Store

/// Pairing by PIN: one node shows six digits, on the other somebody types them.
///
/// On a pairing connection, whose ends have proved their keys, go six frames: the four of CPace (``PairingInitiator``,
/// ``PairingOffer``), then each side's invitation to a group, or an empty line, the PIN's side first; a frame of one
/// octet ends it with a reason (``PairingRefusal``). The PIN's side trusts the other once that has proved the PIN, the
/// other trusts it at the end. The side that shows the PIN hands its group over;
/// only one that is in none takes that of the other, if the other is in just one.
actor Pairing {
  /// What is shown to whoever stands before the node.
  struct Shown: Sendable {
    let pin: String
    let seconds: Double
  }

  private let plane: ControlPlane
  private let membership: Membership
  private let state: NodeState
  private let log: Logger
  private let now: @Sendable () -> Int64
  private var announcer: Announcer?
  private var offer: PairingOffer?
  /// The name of the group that goes with the PIN; nil: none.
  private var offeredGroup: String?

  init(
    plane: ControlPlane, membership: Membership, state: NodeState, log: Logger,
    now: @escaping @Sendable () -> Int64 = EventLoop.nowNanoseconds
  ) {
    self.plane = plane
    self.membership = membership
    self.state = state
    self.log = log
    self.now = now
  }

  /// Tells of groups that a pairing brings, from now on.
  func tell(_ announcer: Announcer) { self.announcer = announcer }

  /// Makes a PIN in place of a former one.
  ///
  /// - Parameter group: whose secret the other node gets; nil: of the only group, if there is one.
  func show(group name: String?) throws(PairingProblem) -> Shown {
    let group = try group(named: name)
    do throws(CryptoError) {
      let offer = try PairingOffer(own: state.publicKey, nowNanoseconds: now())
      let shown = Shown(
        pin: offer.pin.text, seconds: Double(PairingOffer.lifetimeNanoseconds) / 1e9)
      self.offer = consume offer
      offeredGroup = group?.name
      return shown
    } catch {
      throw .crypto(error)
    }
  }

  /// Pairs with the node that shows a PIN.
  ///
  /// - Returns: who it is.
  func pair(with peer: String, pin: String) async throws(PairingProblem) -> NodeID {
    let typed: PairingPIN
    do throws(CryptoError) { typed = try PairingPIN(typed: pin) } catch { throw .crypto(error) }
    let addresses: [NodeAddress]
    do throws(IntercomError) {
      addresses = try await membership.addresses(of: peer)
    } catch {
      throw .ambiguous("\(error)")
    }
    guard let outcome = await PairingRace.open(addresses, by: plane) else { throw .notFound(peer) }
    let channel: PairingChannel
    do throws(ControlPlaneError) {
      channel = try outcome.get()
    } catch {
      throw .unreachable(peer, reason: "\(error)")
    }
    defer { channel.close() }
    guard channel.peer != state.id else { throw .ourselves }
    do {
      try await initiate(on: channel, typed)
    } catch let error as CryptoError {
      throw .crypto(error)
    } catch let error as StoreError {
      throw .notJoined(error)
    } catch let error as PairingProblem {
      throw error
    } catch {
      throw .brokenOff("\(error)")
    }
    await membership.trust(channel.peer, at: addresses)
    return channel.peer
  }

  /// Answers a node on which a PIN is typed; what goes wrong is told in the log.
  func answer(_ channel: PairingChannel) async {
    let isShown = offer?.isOpen(nowNanoseconds: now()) ?? false
    do {
      try await respond(on: channel)
      log.event(
        .paired, "paired", ["words": "\(channel.peer.words.joined(separator: " "))"])
    } catch {
      if let refusal = PairingRefusal(error) { try? await channel.send([refusal.rawValue]) }
      // Without a PIN anybody can cause this as often as he likes; a PIN bears five.
      log.event(
        .pairingFailed, at: isShown ? .warning : .debug, "pairing failed",
        [
          "words": "\(channel.peer.words.joined(separator: " "))", "reason": "\(error)",
        ])
    }
  }

  private func initiate(on channel: PairingChannel, _ pin: consuming PairingPIN) async throws {
    var party = try PairingInitiator(own: state.publicKey, peer: channel.peerKey, pin: pin)
    try await channel.send(party.hello)
    let proof = try party.receive(answer: try await Self.receive(on: channel))
    try await channel.send(proof)
    _ = try party.receive(confirmation: try await Self.receive(on: channel))
    let isGiven = try take(try await channel.receive())
    let own = isGiven ? [] : state.groups
    try await channel.send(Self.invitation(to: own.count == 1 ? own.first : nil))
  }

  /// The other side's next frame; one of a single octet says why there is none.
  private static func receive(on channel: PairingChannel) async throws -> [UInt8] {
    let frame = try await channel.receive()
    if frame.count == 1, let refusal = PairingRefusal(rawValue: frame[0]) {
      throw PairingProblem.refused(refusal)
    }
    return frame
  }

  private func respond(on channel: PairingChannel) async throws {
    let hello = try await channel.receive()
    let answer = try withOffer { offer throws(CryptoError) in
      try offer.answer(
        hello: hello, from: channel.peerKey, nowNanoseconds: now())
    }
    try await channel.send(answer)
    let proof = try await channel.receive()
    // In one step with the proof: meanwhile another PIN, for another group, may be shown.
    let name = offeredGroup
    let confirmation = try withOffer { offer throws(CryptoError) in
      let success = try offer.check(
        proof: proof, from: channel.peerKey, nowNanoseconds: now())
      return success.confirmation
    }
    // The PIN is proved; whatever becomes of the rest, the other side trusts us from the next frame on.
    await membership.trust(channel.peer, at: [])
    let group = state.groups.first { $0.name == name }
    try await channel.send(confirmation)
    try await channel.send(Self.invitation(to: group))
    let given = try await channel.receive()
    if group == nil, state.groups.isEmpty { _ = try take(given) }
  }

  private func withOffer<Result>(
    _ body: (inout PairingOffer) throws(CryptoError) -> Result
  ) throws -> Result {
    guard var current = offer.take() else { throw PairingProblem.nothingShown }
    let outcome: Swift.Result<Result, CryptoError>
    do throws(CryptoError) {
      outcome = .success(try body(&current))
    } catch {
      outcome = .failure(error)
    }
    offer = consume current
    return try outcome.get()
  }

  /// Joins the group that the other hands over; what is no invitation is an error, as is a disk that keeps nothing.
  ///
  /// - Returns: whether there was one.
  private func take(_ octets: [UInt8]) throws(StoreError) -> Bool {
    let text = String(decoding: octets, as: UTF8.self)
    guard !text.isEmpty, text != "\n" else { return false }
    _ = try state.join(invitation: String(text.prefix { $0 != "\n" }))
    announcer?.groupsChanged()
    return true
  }

  /// A frame is never empty: a line end follows.
  private static func invitation(to group: Group?) -> [UInt8] {
    Array("\(group?.invitation ?? "")\n".utf8)
  }

  private func group(named name: String?) throws(PairingProblem) -> Group? {
    let groups = state.groups
    guard let name else {
      guard groups.count < 2 else { throw .whichGroup(groups.map(\.name)) }
      return groups.first
    }
    guard let group = groups.first(where: { $0.name == name }) else { throw .noSuchGroup(name) }
    return group
  }
}
