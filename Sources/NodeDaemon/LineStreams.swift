internal import EventLoop
internal import Intercom
internal import Lines
internal import Logging
internal import Mesh

/// Opens and closes streams until they are those that keys and calls may need; the media path speaks to them by its
/// routing.
///
/// On Swift's ordinary pool.
actor LineStreams {
  private let membership: Membership
  private let log: Logger
  private var book = AudienceBook()
  private var wishes: [AudienceWish] = []
  private var talking: Set<Audience> = []
  private var isBusy = false
  private var alarm = Alarm()
  /// When the log last told that a stream could not be opened.
  private var faults = TellingInterval<Int>(seconds: 60)
  private nonisolated let news:
    AsyncStream<(wishes: [AudienceWish], talking: Set<Audience>)>
      .Continuation

  init(_ membership: Membership, log: Logger) {
    (self.membership, self.log) = (membership, log)
    let (stream, news) = AsyncStream.makeStream(
      of: (wishes: [AudienceWish], talking: Set<Audience>).self,
      bufferingPolicy: .bufferingNewest(1))
    self.news = news
    Task { [weak self] in
      for await next in stream { await self?.take(next.wishes, next.talking) }
    }
  }

  deinit { news.finish() }

  /// These streams are to be there from now on, in order of need.
  ///
  /// Any thread; does not wait.
  nonisolated func follow(_ wishes: [AudienceWish], talking: Set<Audience>) {
    news.yield((wishes, talking))
  }

  private func take(_ wishes: [AudienceWish], _ talking: Set<Audience>) async {
    (self.wishes, self.talking) = (wishes, talking)
    await settle()
  }

  private func settle() async {
    guard !isBusy else { return }
    isBusy = true
    while let step = book.next(
      wishes, talking: talking, nowNanoseconds: EventLoop.nowNanoseconds())
    {
      await carryOut(step)
    }
    isBusy = false
    let now = EventLoop.nowNanoseconds()
    alarm.set(
      toNanoseconds: book.nextDeadlineNanoseconds(wishes, nowNanoseconds: now), nowNanoseconds: now
    ) { [weak self] in await self?.tick() }
  }

  private func tick() async {
    alarm.rang()
    await settle()
  }

  private func carryOut(_ step: AudienceBook.Step) async {
    switch step {
    case .setListeners(let nodes, let stream): await membership.setListeners(nodes, of: stream)
    case .close(let stream): await membership.closeStream(stream)
    case .open(let wish):
      do {
        let audience = StreamAudience(octets: wish.audience.octets)
        book.opened(
          wish, as: try await membership.openStream(to: audience, listeners: wish.listeners))
      } catch {
        let now = EventLoop.nowNanoseconds()
        book.failed(wish, nowNanoseconds: now)
        guard faults.tells(0, nowNanoseconds: now) else { return }
        log.event(.audienceFailed, "cannot open a stream for whom a key is for: \(error)")
      }
    }
  }
}
