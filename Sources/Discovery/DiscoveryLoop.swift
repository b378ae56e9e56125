internal import Cryptography
internal import Mesh
internal import System

/// What the thread of a ``Discovery`` does: it polls Avahi, hands what comes to the table and to the choice of the
/// backend, and does what they ask for.
struct DiscoveryLoop: ~Copyable {
  private let avahi: Avahi
  private let mailbox: DiscoveryMailbox
  private let tell: @Sendable (DiscoveryEvent) -> Void
  private var table: ServiceTable
  private var choice: BackendChoice
  private var publication: Publication
  private var now: Int64
  /// When the table has something to do: at most once in ``tablePeriodNanoseconds``,
  /// as each packet of a flood wakes us.
  private var tableDueNanoseconds: Int64 = 0
  private var tableDoneNanoseconds: Int64 = 0

  private static let tablePeriodNanoseconds: Int64 = 10_000_000

  init(
    _ avahi: consuming Avahi, _ service: ServiceDescription, _ mailbox: DiscoveryMailbox,
    _ tell: @escaping @Sendable (DiscoveryEvent) -> Void
  ) {
    self.avahi = avahi
    self.mailbox = mailbox
    self.tell = tell
    now = monotonicNanoseconds()
    table = ServiceTable(
      own: service.node, groups: service.groups)
    choice = BackendChoice(nowNanoseconds: now)
    publication = Publication(service)
  }

  /// What is published now.
  var service: ServiceDescription { publication.service }

  /// Runs until the mailbox says that it is enough; goodbyes have been sent then.
  ///
  /// - Throws: what keeps it from going on; all nodes were told as lost.
  mutating func run() throws(DiscoveryError) {
    mailbox.setWaker(avahi.waker)
    defer { mailbox.setWaker(nil) }
    while true {
      let (service, isStopping) = mailbox.take()
      if isStopping { break }
      now = monotonicNanoseconds()
      if let service { change(to: service) }
      for node in mailbox.takeNodes() {
        tableHeard()
        table.resolveAnew(node, nowNanoseconds: now)
      }
      settle()
      do throws(DiscoveryError) {
        try avahi.poll(milliseconds: patienceMilliseconds)
      } catch {
        loseAll()
        throw error
      }
    }
    avahi.stop(.inProcess)
    avahi.stop(.daemon)
  }

  private mutating func loseAll() {
    table.loseAll()
    for case .tell(let event) in table.takeActions() { tell(event) }
    tell(.backendChanged(.none))
    mailbox.tell(.none, table.counters)
  }

  /// Until nothing follows from anything any more.
  private mutating func settle() {
    var isBusy = true
    while isBusy {
      let events = avahi.takeEvents()
      for event in events { handle(event) }
      choice.advance(nowNanoseconds: now)
      let choices = choice.takeActions()
      for action in choices { perform(action) }
      if let due = publication.dueNanoseconds, due <= now, choice.inUse != .none { publish() }
      let isTableBusy = settleTable()
      isBusy = !events.isEmpty || !choices.isEmpty || isTableBusy
    }
    mailbox.tell(choice.inUse, table.counters)
  }

  /// Whether there was something to do.
  private mutating func settleTable() -> Bool {
    guard tableDueNanoseconds <= now else { return false }
    var actions: [ServiceTable.Action]
    repeat {
      table.advance(nowNanoseconds: now)
      actions = table.takeActions()
      for action in actions { perform(action) }
    } while !actions.isEmpty
    tableDoneNanoseconds = now
    tableDueNanoseconds = table.nextDeadlineNanoseconds ?? .max
    return true
  }

  /// Something came that the table took note of.
  private mutating func tableHeard() {
    tableDueNanoseconds = min(
      tableDueNanoseconds, max(now, tableDoneNanoseconds + Self.tablePeriodNanoseconds))
  }

  private var patienceMilliseconds: Int32 {
    let publishing = choice.inUse == .none ? nil : publication.dueNanoseconds
    let deadlines = [
      tableDueNanoseconds == .max ? nil : tableDueNanoseconds, choice.nextDeadlineNanoseconds,
      publishing,
    ]
    guard let deadline = deadlines.compactMap({ $0 }).min() else { return -1 }
    // Rounded up, or the last millisecond would be spent in a circle.
    return Int32(clamping: max(deadline - monotonicNanoseconds() + 999_999, 0) / 1_000_000)
  }

  private mutating func handle(_ event: AvahiEvent) {
    tableHeard()
    switch event {
    case .state(.daemon, let state): daemonIs(state)
    case .state(_, let state): ownIs(state)
    case .published(let backend, let state):
      guard backend == choice.inUse else { return }
      attempt("publish") { loop throws(AvahiError) in
        try loop.publication.heard(state, loop.avahi, backend, nowNanoseconds: loop.now)
      }
    case .appeared(let instance, let isOwn, let isLocal):
      guard !isOwn else { return }
      table.appeared(instance, isLocal: isLocal, nowNanoseconds: now)
    case .disappeared(let instance): table.disappeared(instance, nowNanoseconds: now)
    case .resolved(let token, let resolution):
      table.resolved(token, resolution, nowNanoseconds: now)
    case .unresolved(let token): table.failed(token, nowNanoseconds: now)
    case .browsingFailed(let words):
      table.browseLater(now)
      tell(.problem("browsing ended (\(words)); it restarts within a minute"))
    }
  }

  private mutating func daemonIs(_ state: AvahiEvent.State) {
    switch state {
    case .absent: choice.daemonIs(.absent, nowNanoseconds: now)
    case .failed: choice.daemonIs(.failed, nowNanoseconds: now)
    case .registering: choice.daemonIs(.registering, nowNanoseconds: now)
    case .collision:
      if choice.inUse == .daemon { publication.hostCollided() }
      choice.daemonIs(.registering, nowNanoseconds: now)
    case .running:
      let wasInUse = choice.inUse == .daemon
      choice.daemonIs(.running, nowNanoseconds: now)
      if wasInUse { hostIsRunning() }
    }
  }

  private mutating func ownIs(_ state: AvahiEvent.State) {
    switch state {
    case .registering, .absent: break
    case .running: if choice.inUse == .inProcess { hostIsRunning() }
    case .collision:
      publication.hostCollided()
      attempt("take another host name") { loop throws(AvahiError) in try loop.avahi.renameOwn() }
    case .failed(let words): choice.ownFailed(words, nowNanoseconds: now)
    }
  }

  private mutating func perform(_ action: BackendChoice.Action) {
    switch action {
    case .startClient:
      do throws(AvahiError) { try avahi.startClient() } catch {
        choice.clientRefused(nowNanoseconds: now)
      }
    case .stopClient: avahi.stop(.daemon)
    case .startOwn: startOwn()
    case .stopOwn: avahi.stop(.inProcess)
    case .use(let backend): use(backend)
    case .problem(let words): tell(.problem(words))
    }
  }

  private mutating func startOwn() {
    do throws(AvahiError) {
      try avahi.startOwn(host: InstanceName.host(of: publication.service.node))
      choice.ownStarted()
    } catch {
      choice.ownFailed(error.words, nowNanoseconds: now)
    }
  }

  private mutating func use(_ backend: DiscoveryBackend) {
    tableHeard()
    table.forgetInstances(nowNanoseconds: now)
    tell(.backendChanged(backend))
    guard backend != .none else { return }
    attempt("publish") { loop throws(AvahiError) in
      try loop.publication.begin(loop.avahi, backend, nowNanoseconds: loop.now)
    }
    browse()
  }

  private mutating func perform(_ action: ServiceTable.Action) {
    switch action {
    case .resolve(let token, let instance):
      do throws(AvahiError) {
        try avahi.resolve(choice.inUse, token: token, instance)
      } catch {
        table.failed(token, nowNanoseconds: now)
      }
    case .stopResolving(let token): avahi.stopResolving(token)
    case .browse: browse()
    case .tell(let event): tell(event)
    }
  }

  private mutating func browse() {
    guard choice.inUse != .none else { return }
    do throws(AvahiError) { try avahi.browse(choice.inUse) } catch {
      table.browseLater(now)
      tell(.problem("cannot browse (\(error.words)); next try within a minute"))
    }
  }

  private mutating func change(to service: ServiceDescription) {
    tableHeard()
    table.regroup(service.groups, nowNanoseconds: now)
    attempt("publish") { loop throws(AvahiError) in
      try loop.publication.change(
        to: service, loop.avahi, loop.choice.inUse, nowNanoseconds: loop.now)
    }
  }

  private mutating func hostIsRunning() {
    attempt("publish") { loop throws(AvahiError) in
      try loop.publication.hostIsRunning(loop.avahi, loop.choice.inUse, nowNanoseconds: loop.now)
    }
  }

  private mutating func publish() {
    attempt("publish") { loop throws(AvahiError) in
      try loop.publication.publish(loop.avahi, loop.choice.inUse, nowNanoseconds: loop.now)
    }
  }

  private mutating func attempt(
    _ what: String, _ body: (inout DiscoveryLoop) throws(AvahiError) -> Void
  ) {
    do throws(AvahiError) { try body(&self) } catch {
      tell(.problem("cannot \(what) by \(choice.inUse.rawValue): \(error.words)"))
    }
  }
}
