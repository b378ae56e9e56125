internal import Audio
internal import Cryptography
internal import EventLoop
internal import Media
public import Mesh
internal import RTP
internal import Synchronization

/// People at browsers who are guests of this node.
extension Intercom {
  /// Attempts to have something ready that plays one more stream, and what lies between them.
  private static let (attempts, pause) = (50, Duration.milliseconds(20))

  /// Lets a guest in; members have yet to get the key of its stream.
  ///
  /// - Parameters:
  ///   - id: by which lines know it; nobody else's.
  ///   - name: what it is called.
  ///   - colour: what members show it in, 24 bits of red, green and blue; nil: this node's.
  ///   - kind: what it wants to hear.
  ///   - deliver: takes each message for the browser, on a thread of ordinary priority; must not wait.
  /// - Returns: where its frames go, and what members are to be told.
  /// - Throws: that there is no place, or what the system refused, in words.
  public nonisolated func admitGuest(
    _ id: Int, named name: String, in colour: UInt32? = nil, hearing kind: GuestFrame.Kind,
    deliver: @escaping @Sendable ([UInt8]) -> Void
  ) async throws -> (GuestSeat, MediaKey) {
    for _ in 0..<Self.attempts {
      guard let draft = await draftGuest() else {
        throw IntercomError.refused(
          "this station has no stream left, of \(MediaKey.maximumStreams), beside its guests', inputs' and calls'; "
            + "try again when one of them has ended")
      }
      let answer = try await withTaskExecutorPreference(globalConcurrentExecutor) {
        let key = try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: draft.epoch))
        return await admit(id, name, colour, draft, GuestKit(draft), key)
      }
      if let answer {
        try await seat(answer.seat, hearing: kind, deliver: deliver)
        return answer
      }
      try await Task.sleep(for: Self.pause)
    }
    throw IntercomError.refused("the station has no place for one more voice; try again")
  }

  private nonisolated func seat(
    _ seat: GuestSeat, hearing kind: GuestFrame.Kind,
    deliver: @escaping @Sendable ([UInt8]) -> Void
  ) async throws {
    do {
      try await withTaskExecutorPreference(globalConcurrentExecutor) {
        let outlet = try GuestOutlet(seat.engine, bus: seat.bus, kind: kind, deliver: deliver)
        try guestMixer.add(outlet)
        seat.attach(outlet)
      }
    } catch {
      await expelGuest(seat)
      throw error
    }
  }

  /// Puts a guest out; its stream ends.
  public nonisolated func expelGuest(_ seat: GuestSeat) async {
    await withTaskExecutorPreference(globalConcurrentExecutor) {
      seat.closeEar()
      if let outlet = seat.outlet { guestMixer.remove(outlet) }
    }
    await leave(seat)
  }

  private func draftGuest() -> GuestDraft? { station.draftGuest() }

  private func admit(
    _ id: Int, _ name: String, _ colour: UInt32?, _ draft: GuestDraft, _ kit: GuestKit,
    _ key: consuming sending SRTPSendingKey
  ) -> (seat: GuestSeat, key: MediaKey)? {
    station.admitGuest(id, named: name, in: colour, draft, kit.talker, key)
  }

  private func leave(_ seat: GuestSeat) { station.expelGuest(seat.stream) }
}

/// A guest's place at this node; any thread.
public final class GuestSeat: Sendable {
  /// Where its frames go.
  public let line = GuestLine()
  /// The number of its stream.
  public let stream: Int
  let bus: MixBus
  let engine: AudioEngine
  private let made = Mutex<GuestOutlet?>(nil)
  /// What is between it and somebody off the loop.
  struct Place {
    /// Nil: there is nobody.
    var talk: GuestTalk?
    /// The guest has gone.
    var isGone = false
  }

  let place = Mutex(Place())

  init(stream: Int, bus: MixBus, engine: AudioEngine) {
    (self.stream, self.bus, self.engine) = (stream, bus, engine)
  }

  var outlet: GuestOutlet? { made.withLock { $0 } }

  func attach(_ outlet: GuestOutlet) { made.withLock { $0 = outlet } }

  /// Takes a message of the browser; its octets may be anything.
  ///
  /// Any thread but the loop, one message at a time.
  public func take(_ octets: [UInt8]) {
    take(octets, arrivalNanoseconds: EventLoop.nowNanoseconds())
  }

  /// The same of a message that came then.
  func take(_ octets: [UInt8], arrivalNanoseconds arrival: Int64) {
    guard line.take(octets, arrivalNanoseconds: arrival) else { return }
    place.withLock { $0.talk?.hear(octets, arrivalNanoseconds: arrival) }
  }
}

/// What the stream of a guest is going to be.
struct GuestDraft: Sendable {
  let number: Int
  let epoch: UInt64
  let ssrc: SSRC
  let first: SequenceNumber
}

/// What a guest needs that takes its time to make.
///
/// Unchecked because it is made off the loop, and then the loop's alone.
struct GuestKit: @unchecked Sendable {
  /// A talker passes on what the browser coded.
  private final class NoEncoder: FrameEncoder {
    let lookaheadFrames = 0
    func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int { 0 }
    func aim(bitsPerSecond: Int) {}
    func reset() {}
  }

  let talker: Talker

  init(_ draft: GuestDraft) {
    talker = Talker(
      configuration: TalkerConfiguration(
        ssrc: draft.ssrc, payloadType: PayloadType.opus,
        redundantPayloadType: PayloadType.redundant, resentPayloadType: PayloadType.resent,
        framesPerPacket: GuestOutlet.packetFrames, firstSequenceNumber: draft.first,
        firstTimestamp: RTPTimestamp(rawValue: .random(in: 0 ... .max))),
      encoder: NoEncoder())
  }
}

extension Station {
  /// Looks for a stream that a guest could have; nil: there are as many as may be.
  func draftGuest() -> GuestDraft? {
    guests.prepare()
    guard !hasEnded, let (number, epoch) = protection.freeNumber() else { return nil }
    let (ssrc, first) = roster.drawStream()
    return GuestDraft(number: number, epoch: epoch, ssrc: ssrc, first: first)
  }

  /// Opens the stream of a guest and gives it its places in the mix; nil: not yet, try again.
  func admitGuest(
    _ id: Int, named name: String, in colour: UInt32? = nil, _ draft: GuestDraft,
    _ talker: Talker,
    _ key: consuming SRTPSendingKey
  ) -> (seat: GuestSeat, key: MediaKey)? {
    guard !hasEnded, protection.stream(draft.number) == nil, roster.isFree(draft.ssrc) else {
      return nil
    }
    let source = StreamSourceName(
      number: MediaKey.firstGuestSource + draft.number, name: name, colourRGB: colour)
    let stream = OwnStream(
      draft.number, ssrc: draft.ssrc, source: source, audience: .everyone, listeners: .everyone,
      key: key, epoch: draft.epoch)
    guard let guest = guests.admit(id, stream, talker: talker) else { return nil }
    protection.add(stream)
    roster.follow(stream)
    return (guest.seat, stream.message)
  }

  /// Ends what a guest says and hears.
  func expelGuest(_ number: Int) {
    guard let guest = guests.guests.first(where: { $0.stream.number == number }) else { return }
    guests.expel(guest)
    roster.follow(guest.stream, isOver: true)
    protection.remove(guest.stream)
  }
}
