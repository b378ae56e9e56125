import Cryptography

/// The application lane between this node and one other: streams of octets both ways on each channel, which outlive
/// connections.
///
/// **On a connection**: *resume* both ways, at once; then a *receipt* for each channel that is open here; then chunks
/// of the channels of which the other's receipt came. Frames of a connection that is not the lane's (any more) mean
/// nothing. A violation is answered with a *refusal*: nothing is taken until this end's next resume, a minute later,
/// with which the streams that come begin anew; the connection, and the media path, go on. Who is refused and goes on
/// sending is cut.
///
/// **What goes first**: resume and refusal, receipts, urgent channels, then of the others the one that has had least,
/// as fast as ``LanePace`` says. Heartbeats and keys are not here: they go before all of it.
final class Lane {
  /// Frames that are taken at once, and a second: more than the rates of all channels allow.
  private static let frames = (burst: 2048, perSecond: 2048)
  /// Resumes likewise; frames of who is refused likewise.
  private static let resumes = (burst: 8, perSecond: 1)
  private static let ignored = (burst: 2048, perSecond: 32)
  private static let refusalNanoseconds: Int64 = 60_000_000_000

  let node: NodeID
  /// Until when it is kept without a connection; `max`: it has one.
  private(set) var lostUntilNanoseconds: Int64 = .max
  /// The connection that it is on.
  private(set) var connection: ConnectionID?
  /// The number of this state of it, and that which the other end's had last.
  private var (own, other): (UInt64, UInt64)
  /// Whether the other end's resume came on this connection.
  private var isResumed = false
  /// Whether one came on it at all.
  private var hasResumed = false
  /// Until when nothing is taken from the other end; nil: it keeps to the rules.
  private var refusedUntilNanoseconds: Int64?
  /// The other end's resume that came meanwhile.
  private var resumeWhileRefused: LaneResume?
  private var outlets: [LaneChannel: LaneOutlet]
  /// Of the channels that are open here.
  private var inlets: [LaneChannel: LaneInlet] = [:]
  private var pace = LanePace()
  /// What goes out first.
  private var first: [LaneFrame] = []
  private var frameBucket = Lane.bucket(frames)
  private var resumeBucket = Lane.bucket(resumes)
  private var ignoredBucket = Lane.bucket(ignored)

  private static func bucket(_ size: (burst: Int, perSecond: Int)) -> TokenBucket {
    TokenBucket(burst: size.burst, perSecond: size.perSecond)
  }

  /// - Parameter number: of its state; another for each lane of this node, above 0.
  init(node: NodeID, number: UInt64, open: Set<LaneChannel>) {
    self.node = node
    (own, other) = (number, 0)
    outlets = Dictionary(uniqueKeysWithValues: LaneChannel.allCases.map { ($0, LaneOutlet($0)) })
    for channel in open { inlets[channel] = LaneInlet(channel) }
  }

  // MARK: Connections

  /// Goes on, on this connection, which is a member's.
  func attach(_ connection: ConnectionID) {
    guard connection != self.connection else { return }
    self.connection = connection
    lostUntilNanoseconds = .max
    refusedUntilNanoseconds = nil
    (isResumed, hasResumed) = (false, false)
    pace.reset()
    first = [.resume(LaneResume(own: own, other: other))]
    resumeWhileRefused = nil
  }

  /// The connection is over.
  func detach(lostUntilNanoseconds: Int64) {
    connection = nil
    isResumed = false
    first = []
    self.lostUntilNanoseconds = lostUntilNanoseconds
  }

  /// Takes the channel's messages from now on.
  func open(_ channel: LaneChannel) {
    guard inlets[channel] == nil else { return }
    inlets[channel] = LaneInlet(channel)
    if isResumed { inlets[channel]?.oweReceipt() }
  }

  // MARK: What comes

  /// What a frame led to.
  enum Outcome {
    case taken(acknowledged: [(LaneChannel, UInt64)])
    /// It broke a rule for the first time, and nothing more is taken.
    case refused(LaneViolation)
    /// Nothing is taken.
    case ignored
    /// Too much of what nothing is taken of.
    case flooded
  }

  /// Takes a frame that came on the lane's connection.
  func take(_ frame: LaneFrame, newNumber: () -> UInt64, nowNanoseconds now: Int64) -> Outcome {
    if refusedUntilNanoseconds != nil {
      if case .resume(let resume) = frame { resumeWhileRefused = resume }
      return ignoredBucket.take(nowNanoseconds: now) ? .ignored : .flooded
    }
    do throws(LaneViolation) {
      guard frameBucket.take(nowNanoseconds: now) else { throw .flood }
      return .taken(acknowledged: try handle(frame, now))
    } catch {
      refuse(error, newNumber: newNumber(), nowNanoseconds: now)
      return .refused(error)
    }
  }

  private func handle(
    _ frame: LaneFrame, _ now: Int64
  ) throws(LaneViolation) -> [(LaneChannel, UInt64)] {
    switch frame {
    case .resume(let resume):
      // Of new connections there is a bound elsewhere.
      guard !hasResumed || resumeBucket.take(nowNanoseconds: now) else { throw .flood }
      take(resume)
    case .chunk(let chunk):
      guard isResumed else { throw .order }
      guard let channel = LaneChannel(rawValue: chunk.channel), inlets[channel] != nil else {
        throw .channel
      }
      // Nil is looked for above.
      try inlets[channel]?.take(chunk)
    case .receipt(let receipt):
      guard isResumed else { throw .order }
      // Of a later version's channel nothing is sent.
      guard let channel = LaneChannel(rawValue: receipt.channel) else { return [] }
      guard let sequences = outlets[channel]?.take(receipt) else { throw .receipt }
      pace.note(receipt, nowNanoseconds: now)
      return sequences.map { (channel, $0) }
    case .refusal: stopSending(keepsStreams: true)
    }
    return []
  }

  private func take(_ resume: LaneResume) {
    // It began anew, and has forgotten ours.
    if isResumed { first.append(.resume(LaneResume(own: own, other: resume.own))) }
    let isKnown = resume.own == other
    // A later run may know our number already, from a connection on which its own resume did not come.
    stopSending(keepsStreams: isKnown && resume.other == own)
    if !isKnown {
      for channel in inlets.keys { inlets[channel]?.reset() }
      other = resume.own
    }
    (isResumed, hasResumed) = (true, true)
    for channel in LaneChannel.allCases { inlets[channel]?.oweReceipt() }
  }

  private func stopSending(keepsStreams: Bool) {
    for channel in outlets.keys { outlets[channel]?.close(keepsStream: keepsStreams) }
    pace.reset()
  }

  /// Takes nothing more for a minute; what comes then begins anew.
  func refuse(_ violation: LaneViolation, newNumber: UInt64, nowNanoseconds now: Int64) {
    refusedUntilNanoseconds = now.saturatingAdding(Self.refusalNanoseconds)
    isResumed = false
    own = newNumber
    other = 0
    stopSending(keepsStreams: false)
    for channel in inlets.keys { inlets[channel]?.reset() }
    first = [.refusal(words: violation.words)]
  }

  // MARK: What goes

  /// Whether a message of that length may be added to a channel now.
  func hasRoom(for byteCount: Int, on channel: LaneChannel) -> Bool {
    outlets[channel]?.hasRoom(for: byteCount) ?? false
  }

  func append(_ octets: [UInt8], on channel: LaneChannel, sequence: UInt64) {
    let busy = outlets.values.filter { !$0.isIdle }
    if let least = busy.map(\.share).min(), outlets[channel]?.isIdle == true {
      outlets[channel]?.join(least)
    }
    outlets[channel]?.append(octets, sequence: sequence)
  }

  /// The next frame to send now; nil: not before ``readyNanoseconds(nowNanoseconds:)``.
  func next(nowNanoseconds now: Int64) -> LaneFrame? {
    guard connection != nil else { return nil }
    resumeAfterRefusal(now)
    pace.checkStall(nowNanoseconds: now)
    if !first.isEmpty { return first.removeFirst() }
    guard isResumed else { return nil }
    for channel in LaneChannel.allCases
    where inlets[channel]?.readyNanoseconds ?? .max <= now {
      let receipt = inlets[channel]?.receipt(nowNanoseconds: now)
      return receipt.map { .receipt($0) }
    }
    return nextChunk(now).map { .chunk($0) }
  }

  private func resumeAfterRefusal(_ now: Int64) {
    guard let until = refusedUntilNanoseconds, now >= until else { return }
    refusedUntilNanoseconds = nil
    first.append(.resume(LaneResume(own: own, other: other)))
    if let resume = resumeWhileRefused.take() { take(resume) }
  }

  private func nextChunk(_ now: Int64) -> LaneChunk? {
    var ready: [LaneChannel] = []
    for channel in LaneChannel.allCases
    where outlets[channel]?.readyNanoseconds(nowNanoseconds: now) ?? .max <= now {
      ready.append(channel)
    }
    guard let channel = ready.first(where: \.isUrgent) ?? paced(ready, now) else { return nil }
    let chunk = outlets[channel]?.nextChunk(maximumBytes: pace.chunkBytes, nowNanoseconds: now)
    if let chunk { pace.note(chunk, nowNanoseconds: now) }
    return chunk
  }

  private func paced(_ ready: [LaneChannel], _ now: Int64) -> LaneChannel? {
    guard pace.readyNanoseconds(nowNanoseconds: now) <= now else { return nil }
    return ready.min { outlets[$0]?.share ?? 0 < outlets[$1]?.share ?? 0 }
  }

  /// When something is to be sent, or looked at, without anything coming: `max`: never.
  func readyNanoseconds(nowNanoseconds now: Int64) -> Int64 {
    guard connection != nil else { return .max }
    if !first.isEmpty { return now }
    if let refusedUntilNanoseconds { return refusedUntilNanoseconds }
    guard isResumed else { return .max }
    var ready = pace.stallNanoseconds
    for inlet in inlets.values { ready = min(ready, inlet.readyNanoseconds) }
    let paced = pace.readyNanoseconds(nowNanoseconds: now)
    for channel in LaneChannel.allCases {
      guard let own = outlets[channel]?.readyNanoseconds(nowNanoseconds: now), own < .max else {
        continue
      }
      ready = min(ready, channel.isUrgent ? own : max(own, paced))
    }
    return ready
  }

  // MARK: For the consumer

  /// Octets that are held for the consumers.
  var heldBytes: Int { inlets.values.reduce(0) { $0 + $1.heldBytes } }

  /// Whether a message of a channel is whole, and none of it in the consumer's hand.
  func hasMessage(on channel: LaneChannel) -> Bool { inlets[channel]?.hasMessage ?? false }

  /// The next message of a channel; there is no other before it is finished.
  func nextMessage(on channel: LaneChannel) -> LaneMessage? {
    guard let next = inlets[channel]?.next() else { return nil }
    let key = LaneMessage.Key(sender: node, channel: channel, sequence: next.sequence)
    return LaneMessage(key: key, octets: next.octets)
  }

  /// The consumer has done with the message that it had: it is acknowledged.
  func finish(on channel: LaneChannel) throws(LaneViolation) { try inlets[channel]?.finish() }

  /// Messages that are not acknowledged.
  var unacknowledged: [(LaneChannel, UInt64)] {
    outlets.flatMap { outlet in outlet.value.sequences.map { (outlet.key, $0) } }
  }
}
