public import Cryptography

/// The state machine that finds a node's peers, lets them in or not, and holds the group together.
///
/// Sans-I/O: events and times in, actions out; no clock, socket or task inside. One call at a time.
/// All times are of one steady clock, in nanoseconds; randomness comes from the generator given.
/// Nothing others send makes it trap, or grow beyond ``MeshLimits``.
///
/// **A peer** is `resting` → `waiting` → (`resolving`) → `connecting` → `securing` → `greeting` →
/// (`asking`) → `connected` (``DialProgress``):
/// - Of a pair, the higher ID dials at once; the other waits three times what a dial takes (0.6 s), and
///   after failures three times its own back-off, and then dials too: who starts is found later by
///   DNS-SD than it finds, and its first announcement may get lost. Addresses are tried 250 ms
///   apart, and the first that answers stays.
/// - A failed attempt, or a connection lost before it was 15 s old, is a failure; n of them in a row
///   are followed by a wait of 0.5 · 2ⁿ⁻¹ s, at most 30 s, less up to a quarter. The count falls to 0
///   only when a connection gets 15 s old, or with a later run of the peer, or a change of our
///   network. Every fifth failure the peer's addresses are looked up afresh and its state is built
///   anew; only the count stays, so that the wait still grows.
/// - A stage that takes too long is a failed address or attempt; 35 s bound the whole.
/// - **Proof of life** ends a back-off, not the count: announcement, gossip, or a knock. Two parts of
///   a network that was cut have waits of up to 30 s towards each other and no multicast tells them
///   when it heals. So each side knocks, one small datagram, at members it lost without a goodbye: each
///   half second in the first minute, at 8 in turn, then with every heartbeat, at 16 in turn; and when it
///   starts at those it remembers. A heard knock makes the
///   dialler dial, beside what may hang; the waiting side knocks back; and who takes the knocker for a
///   member sends a heartbeat, which finds out about a connection that the other end knows nothing of
///   any more, or, where nothing came for 3 s, makes another connection in its place, as TCP may wait
///   for seconds then. So does who comes back to a network itself, and knocks at those it lost. A forged
///   knock costs one attempt a second at most.
/// - A goodbye, or a decline, ends the attempts until the node shows up by itself, a later run of it
///   proves itself, or, after a decline, our groups or policy change, or it is announced again a minute
///   later. Who the user named is called on after a goodbye, and 30 s after a decline: a static address
///   rather than the node that answered there. Who declined an invitation is not invited again by us.
///
/// **A connection** whose ends proved their IDs: hello both ways at once. A hello of another ID is
/// refused, one of a lower instance than the node ever proved is a ghost's and refused; a higher one
/// takes the old run's place. Each side says in its hello whether it admits the other (same group,
/// trusted, or policy open); where one does and the other does not, it invites. Both admitting: a member.
/// - **Two connections** of one pair: that dialled by the higher ID stays; of two that one end
///   dialled, that of the higher attempt number. Both ends know both, so they agree. While one takes
///   the other's place the member stays a member.
/// - When our groups or the policy change, all connections are judged anew: who would not be let in
///   unasked any more is expelled, who would be is let in, also before its hello. A no on a connection begun before the
///   change, or within 250 ms after it, may have been said of what both were: it is a failed attempt, and no reason to
///   rest.
/// - Heartbeats every 2 s; nothing for 5.9 s, and the member departed. Media are a sign of life too, for up to 15 s
///   without a heartbeat: over a way that voices fill, TCP starves. One end of a connection asks with its own for that
///   of the other, so that TCP's acknowledgement rides on it. The first one lists all
///   members, later ones what is new within 50 ms, and every eighth one old member in turn; all again where the
///   other's count of members stays another than ours.
/// - **Twins**: who copied a state directory has two nodes of one identity. The earlier start is a ghost, and told so
///   with the later one's number; the member that it claims to be is told, too; and each that finds its own identity at
///   an address learns by the hello whether that is itself.
/// - **Forgotten nodes**: a node that its user forgets while it is away has no name any more at any member
///   (``Mesh+Forgetting``).
/// - Instances, addresses and deaths told by gossip are hearsay: they start attempts, and never end,
///   refuse or replace anything.
///
/// - Of the messages of one connection 256 are taken at once and 32 a second after that. Who sends more
///   is out, by all its connections, and not listened to for a minute, or until a later run of it says hello.
///
/// **Leaving**: a goodbye counts on the sender's own connection only, and for the run that it names.
/// After a departure the keys are rolled within 250 ms.
public final class Mesh {
  /// This node.
  public let node: NodeID
  /// This run of it.
  public let instance: UInt64

  /// When the next `tick` is due; `Int64.max` after `leave`.
  public var nextDeadlineNanoseconds: Int64 { agenda.deadlineNanoseconds }

  /// What to store when ``MeshAction/store`` says so.
  public var memory: MeshMemory { ledger.memory }

  /// What was refused, by reason.
  public internal(set) var counters = MeshCounters()

  var profile: NodeProfile
  var ledger: TrustLedger
  var door: Door
  var peers = PeerTable()
  var links = LinkTable()
  var dials = DialTable()
  /// This node's own streams.
  var streams = SharedStreams()
  var agenda = Agenda()
  var actions: [MeshAction] = []
  private var random: any RandomNumberGenerator
  var hasLeft = false
  private(set) var latestNanoseconds: Int64 = .min

  /// Makes a mesh that begins with the first event.
  ///
  /// - Parameter random: spreads attempts; seeded in tests.
  public init(_ configuration: MeshConfiguration, random: any RandomNumberGenerator) {
    node = configuration.node
    instance = configuration.instance
    profile = configuration.profile
    door = Door(policy: configuration.policy)
    ledger = TrustLedger(configuration.memory)
    self.random = random
  }

  /// Who is to have the keys of a stream of this node; nil: there is no such stream.
  public func listeners(of stream: Int) -> StreamListeners? { streams.listeners(of: stream) }

  /// Takes what happened, and tells what is to be done about it.
  ///
  /// - Parameter nowNanoseconds: never less than in the call before; what is due is done too.
  public func handle(_ event: MeshEvent, nowNanoseconds: Int64) -> [MeshAction] {
    guard !hasLeft else { return afterLeaving(event) }
    let now = max(nowNanoseconds, latestNanoseconds)
    if latestNanoseconds == .min { start(now) }
    latestNanoseconds = now
    if now >= nextDeadlineNanoseconds { runTimers(now) }
    switch event {
    case .tick: break
    case .discovered, .lost, .named, .unnamed, .resolved, .knocked, .sounded, .networkChanged:
      takeNews(event, now)
    case .securing, .dialled, .failed, .accepted, .received, .closed, .uprooted:
      takeConnection(event, now)
    case .accept, .decline, .invite, .forget, .block, .policy, .groupsChanged, .describe,
      .recording, .share, .retireKeys, .endStream, .leave:
      takeCommand(event, now)
    }
    defer { actions.removeAll(keepingCapacity: true) }
    return actions
  }

  /// A uniform number from 0 to `limit`.
  func jitter(_ limit: Int64) -> Int64 { Int64.random(in: 0...limit, using: &random) }

  private func start(_ now: Int64) {
    agenda.start(
      roundAtNanoseconds: now.saturatingAdding(jitter(MeshTimes.heartbeatNanoseconds)))
    let findable = ledger.memory.entries.filter {
      !$0.addresses.isEmpty || ledger.trusted.contains($0.node)
    }
    for entry in findable.suffix(MeshLimits.rememberedPeers).reversed() {
      guard let peer = makePeer(entry.node, .proven, now) else { continue }
      peer.addresses.learn(entry.addresses)
      planDial(peer, now)
    }
    knockAtLost(now)
  }

  /// Connections that come too late are not left open.
  private func afterLeaving(_ event: MeshEvent) -> [MeshAction] {
    switch event {
    case .dialled(_, let opened), .accepted(let opened): [.close(opened.connection, .leaving)]
    default: []
    }
  }
}

/// What is due.
extension Mesh {
  /// Does all that is due, and finds the next deadline.
  func runTimers(_ now: Int64) {
    agenda.clearDeadline()
    for link in links.all { check(link, now) }
    for peer in peers.all {
      checkMembership(peer, now)
      checkDialling(peer, now)
    }
    if agenda.takeRoll(now) {
      let exposed = streams.takeExposed()
      if !exposed.isEmpty { actions.append(.rollKeys(exposed)) }
    }
    if agenda.takeRound(now) { beat(now) }
    if agenda.takeNews(now) { tellNews(now) }
    if agenda.takeSearch(now) { search(now) }
    agenda.wakeForPlans()
  }

  private func check(_ link: Link, _ now: Int64) {
    guard !link.isOver else { return }
    guard now >= link.deadlineNanoseconds else {
      return agenda.wake(atNanoseconds: link.deadlineNanoseconds)
    }
    if link.consent.isInvited {
      refuse(link, words: "no answer", now)
    } else {
      close(link, .late, now)
    }
  }

  private func checkMembership(_ peer: Peer, _ now: Int64) {
    guard let member = peer.member else { return }
    let sign = peer.signs.lastNanoseconds
    let silent = sign.saturatingAdding(MeshTimes.silentNanoseconds)
    guard now < silent else {
      if let link = peer.link { return close(link, .silent, as: .silent, now) }
      depart(peer, .silent, now)
      return planDial(peer, now)
    }
    agenda.wake(atNanoseconds: silent)
    let listening = sign.saturatingAdding(MeshTimes.listenNanoseconds)
    if now < listening {
      agenda.wake(atNanoseconds: listening)
    } else if peer.signs.asks() {
      actions.append(.listen(member.node))
    }
    if let link = peer.link, link.stableNanoseconds != .max {
      if now >= link.stableNanoseconds {
        link.stableNanoseconds = .max
        peer.backOff.forgetFailures()
      } else {
        agenda.wake(atNanoseconds: link.stableNanoseconds)
      }
    }
  }

  private func checkDialling(_ peer: Peer, _ now: Int64) {
    guard !peer.isForgotten else { return }
    if let attempt = peer.attempt {
      check(attempt, of: peer, now)
    } else if now >= peer.backOff.nextNanoseconds {
      beginAttempt(peer, now)
    } else if peer.isHearsay {
      let forgotten = peer.mentionedNanoseconds.saturatingAdding(MeshTimes.hearsayNanoseconds)
      guard now < forgotten else { return remove(peer) }
      agenda.wake(atNanoseconds: min(peer.backOff.nextNanoseconds, forgotten))
    } else {
      agenda.wake(atNanoseconds: peer.backOff.nextNanoseconds)
    }
  }

  private func check(_ attempt: Attempt, of peer: Peer, _ now: Int64) {
    if now >= attempt.watchdogNanoseconds {
      if let connection = attempt.connection, let link = links[connection] {
        return close(link, .late, now)
      }
      return attemptFailed(peer, now)
    }
    if attempt.connection == nil {
      if now >= attempt.deadlineNanoseconds {
        abandonDials(of: peer)
        return dialNext(peer, now)
      }
      if now >= attempt.nextAddressNanoseconds { dialNext(peer, now) }
    }
    guard let attempt = peer.attempt else { return }
    agenda.wake(
      atNanoseconds: min(
        attempt.watchdogNanoseconds, attempt.deadlineNanoseconds,
        attempt.nextAddressNanoseconds))
  }
}
