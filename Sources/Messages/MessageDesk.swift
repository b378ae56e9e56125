public import Cryptography

/// Store and forward of messages between a node and the members of its mesh.
///
/// Sans-I/O: one call at a time. Whoever has the lanes tells who is on, hands it what they say, and sends what it has
/// for those whom ``takeWoken()`` names.
///
/// **Keeping.** A message is held by its sender, and by up to ``MessageLimits/keepers`` members that are on while some
/// of its recipients are away, until each of these has acknowledged it or its time is over. A keeper is handed all that
/// its sender still holds, in order, so whoever has a message has those before it. Keepers cannot read or change it.
///
/// **Order.** Each recipient takes a sender's messages in the order of their sequences. From the sender itself any that
/// is newer than the last; from a keeper only if it has the one before it, which the envelope names, or if the time of
/// that one is over. It acknowledges all up to one sequence at once, signed, so that anybody can pass it on; what comes
/// again is answered by the same and not taken twice.
///
/// **Time.** Nothing depends on wall clocks: what travels is a message's age, and a node that is off does not age what
/// it holds.
public final class MessageDesk {
  /// A number that no run without a journal gave before: the start's number, and room for a million messages of it.
  private static let startBits = 20

  /// What was counted.
  public internal(set) var counters = MessageCounters()

  let identity: any MessageIdentity
  let journal: any MessageJournal
  let settings: MessageSettings
  var shelf: HeldShelf
  private(set) var contacts: ContactBook
  private(set) var book: ReceiptBook
  private(set) var lines: LineBook
  var audio: AudioDesk
  private var sequence: UInt64
  var clock: RunClock
  var company = Company()
  /// Nodes whose messages are not taken.
  private var blocked: Set<NodeID> = []
  var events: [MessageEvent] = []

  /// Goes on with what was kept.
  ///
  /// - Parameters:
  ///   - instance: the number of the node's start, greater than that of each before it.
  ///   - lineName: what tells names of lines apart; nil: no line is called so.
  public init(
    identity: any MessageIdentity, journal: any MessageJournal, settings: MessageSettings,
    instance: UInt64, lineName: @escaping @Sendable (String) -> String?, now: MessageTime
  ) throws(JournalError) {
    let state = try journal.load()
    (self.identity, self.journal, self.settings) = (identity, journal, settings)
    shelf = HeldShelf(state.held)
    contacts = ContactBook(state.contacts, of: identity)
    book = ReceiptBook(state, of: identity)
    lines = LineBook(
      state.lines, atRunSeconds: state.runSeconds, lifeSeconds: UInt64(settings.lifetimeSeconds),
      fold: lineName)
    audio = AudioDesk(state, journal: journal)
    let least = instance < 1 << 40 ? instance << UInt64(Self.startBits) : 0
    sequence = max(state.sequence, least)
    clock = RunClock(seconds: state.runSeconds, atNanoseconds: now.steadyNanoseconds)
  }

  /// What happened since the last call.
  public func takeEvents() -> [MessageEvent] {
    defer { events = [] }
    return events
  }

  /// Nodes that there may be something for since the last call.
  public func takeWoken() -> Set<NodeID> { company.takeWoken() }

  /// A node is a member, and can be sent to.
  public func join(_ node: NodeID, now: MessageTime) {
    guard node != identity.id else { return }
    company.join(node, owing: book.names(for: node))
    audio.join(node)
    chooseKeepers(now)
  }

  /// A node is no member for now.
  public func leave(_ node: NodeID, now: MessageTime) {
    guard company.leave(node) else { return }
    audio.leave(node)
    chooseKeepers(now)
  }

  /// This node is in other groups now: all are told.
  public func groupsChanged() { company.oweCards() }

  private func chooseKeepers(_ now: MessageTime) {
    company.chooseKeepers(
      of: shelf.all(of: identity.id), knows: contacts.knows, nowNanoseconds: now.steadyNanoseconds)
  }

  /// Takes which lines this node is on, and who else is.
  ///
  /// - Parameter told: members that said which lines they are on.
  public func follow(_ followed: [LinePeople], told: Set<NodeID>, now: MessageTime) {
    let changes = lines.follow(followed, told: told, atRunSeconds: clock.seconds(now))
    if changes.isEmpty || write(changes) { lines.noteKept() }
  }

  /// Takes nothing more that these wrote, whoever brings it.
  public func block(_ nodes: Set<NodeID>) { blocked = nodes }

  /// A node is no longer trusted: nothing can be sealed for it, and nothing by it to this node alone is taken, until it
  /// is a member again.
  public func forget(_ node: NodeID) {
    guard contacts.knows(node), write([.forget(node)]) else { return }
    contacts.set(nil, of: node)
  }

  /// Sends a text.
  ///
  /// - Parameter isAloud: it is to be spoken where it arrives, if that is soon.
  /// - Returns: the message; it is kept when this returns.
  public func say(
    _ text: String, isAloud: Bool = false, to conversation: Conversation, now: MessageTime
  ) throws(SayError) -> Message {
    try send(
      try MessageContent(checking: text, isAloud: isAloud), isAloud: isAloud, to: conversation,
      now: now)
  }

  /// Sends a voice message.
  ///
  /// - Parameters:
  ///   - audio: an Ogg Opus file, sealed.
  ///   - milliseconds: how long it sounds, within ``MessageLimits/audioMilliseconds``.
  ///   - peaks: ``VoiceClip/peaks``.
  /// - Returns: the message; it and its audio are kept when this returns.
  public func send(
    _ audio: SealedAudio, milliseconds: Int, peaks: [UInt8], to conversation: Conversation,
    now: MessageTime
  ) throws(SayError) -> Message {
    let clip = try audio.clip(milliseconds: milliseconds, peaks: peaks)
    // Before it is written: it may be long.
    _ = try contacts.audience(of: conversation, lines)
    try self.audio.add(audio)
    do throws(SayError) {
      return try send(.voice(clip), to: conversation, now: now)
    } catch {
      self.audio.remove(audio.attachment)
      throw error
    }
  }

  func send(
    _ content: MessageContent, isAloud: Bool = false, to conversation: Conversation,
    now: MessageTime
  ) throws(SayError) -> Message {
    let run = clock.seconds(now)
    lines.age(atRunSeconds: run)
    let (nodes, way) = try contacts.audience(of: conversation, lines)
    guard shelf.hasRoom(of: identity.id, for: content.attachment) else { throw .crowded }
    let draft = try Draft(
      content, isAloud: isAloud, to: conversation, sequence: sequence + 1,
      for: nodes.map { shelf.recipient($0, of: identity.id, atRunSeconds: run) }, way,
      by: identity, lifetimeSeconds: settings.lifetimeSeconds, atRunSeconds: run, now: now)
    do throws(JournalError) {
      try journal.write(draft.changes)
    } catch {
      throw .journal("\(error)")
    }
    sequence += 1
    shelf.insert(draft.held)
    events.append(draft.message.event)
    nodes.forEach { company.wake($0) }
    chooseKeepers(now)
    return draft.message
  }

  /// The user read all of a sender's messages up to one.
  public func markRead(_ sender: NodeID, upTo sequence: UInt64) {
    var mark = book.mark(of: sender)
    let read = min(sequence, mark.delivered)
    guard read > mark.read else { return }
    mark.read = read
    guard write([.mark(sender, mark)]) else { return }
    book.set(mark, of: sender)
    company.owe(ReceiptName(recipient: identity.id, sender: sender), to: sender)
  }

  /// Keeps changes; false, and told: the disk fails.
  func write(_ changes: [JournalChange]) -> Bool {
    do throws(JournalError) {
      try journal.write(changes)
      return true
    } catch {
      events.append(.trouble(error))
      return false
    }
  }

  /// Takes what a member said; it may be acknowledged when this returns.
  public func take(_ octets: [UInt8], from node: NodeID, now: MessageTime) {
    do throws(MessageFault) {
      switch try MessageFrame(parsing: octets) {
      case .card(let card): try take(card, from: node, now)
      case .parcel(let parcel): try take(parcel, from: node, now)
      case .receipt(let receipt): try take(receipt, from: node, now)
      case .refusal(let refusal): take(refusal, from: node, now)
      }
    } catch {
      refuse(error, of: node)
    }
  }

  private func refuse(_ fault: MessageFault, of node: NodeID) {
    counters.faults[fault, default: 0] += 1
    events.append(.refused(from: node, fault))
  }

  private func take(_ card: Card, from node: NodeID, _ now: MessageTime) throws(MessageFault) {
    let contact = try contacts.contact(card, from: node)
    guard contacts.isNews(contact, of: node) else { return }
    var changes = [JournalChange.contact(node, contact)]
    let stale =
      contacts.knows(node)
      ? nil : contacts.stale(waiting: shelf.recipients, present: company.nodes)
    if let stale { changes.append(.forget(stale)) }
    guard write(changes) else { return }
    if let stale { contacts.set(nil, of: stale) }
    contacts.set(contact, of: node)
    company.wake(node)
    chooseKeepers(now)
  }

  private func take(_ parcel: Parcel, from node: NodeID, _ now: MessageTime) throws(MessageFault) {
    let envelope = try Envelope(parsing: parcel.envelope)
    if parcel.role == .keep {
      try keep(envelope, ageSeconds: parcel.ageSeconds, from: node, now)
    } else {
      try deliver(envelope, parcel, from: node, now)
    }
  }

  /// Takes what a member said of audio, on the lane's channel of files.
  public func takeFile(_ octets: [UInt8], from node: NodeID, now: MessageTime) {
    do throws(MessageFault) {
      switch try audio.take(octets, from: node, nowNanoseconds: now.steadyNanoseconds) {
      case .nothing: break
      case .failed(let error): events.append(.trouble(error))
      case .whole(let parcels):
        for (node, parcel) in parcels { take(parcel, from: node, now: now) }
        shelf.recipients.forEach { company.wake($0) }
      }
    } catch {
      refuse(error, of: node)
    }
  }

  /// What to say to a node next on the channel of files; nil: nothing now.
  public func nextFile(for node: NodeID) -> [UInt8]? {
    read { () throws(JournalError) in try audio.next(for: node) }
  }

  /// Nodes that there may be something for on the channel of files since the last call.
  public func takeWokenFiles() -> Set<NodeID> { audio.takeWoken() }

  private func deliver(
    _ envelope: Envelope, _ parcel: Parcel, from node: NodeID, _ now: MessageTime
  ) throws(MessageFault) {
    let (key, me) = (envelope.key, identity.id)
    guard let place = envelope.recipients.first(where: { $0.node == me }) else {
      throw .misdirected
    }
    let mark = book.mark(of: key.sender)
    guard key.sequence > mark.delivered else {
      counters.repeated += 1
      return acknowledge(key.sender, to: node)
    }
    guard contacts.knows(key.sender) || book.hasRoom(for: key.sender) else { throw .stranger }
    let isNext =
      place.previous <= mark.delivered || parcel.ageSeconds >= place.previousLifeSeconds
      || (node == key.sender && parcel.role == .deliverFirst)
    guard isNext else { return answer(.missing, key, to: node) }
    if let attachment = envelope.attachment, !audio.holds(attachment),
      contacts.welcomes(envelope, blocked),
      (try? envelope.open(as: identity, lines)) != nil
    {
      if !audio.fetch(attachment, from: node, then: parcel, now) {
        answer(.missing, key, to: node)
      }
      return
    }
    let next = MessageMark(delivered: key.sequence, read: mark.read)
    var changes = [JournalChange.mark(key.sender, next)]
    var (message, isAloud): (Message?, Bool) = (nil, false)
    // What is not taken is acknowledged all the same: it would come for ever.
    do throws(MessageFault) {
      guard contacts.welcomes(envelope, blocked) else { throw .stranger }
      let (conversation, content) = try envelope.open(as: identity, lines)
      let opened = content.message(key, in: conversation, takenAt: now)
      try check(opened)
      changes.append(opened.change)
      (message, isAloud) = (opened, content.isAloud)
    } catch {
      refuse(error, of: node)
    }
    guard write(changes) else { return answer(.disk, key, to: node) }
    book.set(next, of: key.sender)
    if let message {
      counters.taken += 1
      events += MessageEvent.taken(message, isAloud: isAloud, ageSeconds: parcel.ageSeconds)
    }
    acknowledge(key.sender, to: node)
  }

  /// Tells how far this node is with a sender's messages: the sender, and who handed one over.
  private func acknowledge(_ sender: NodeID, to node: NodeID) {
    let name = ReceiptName(recipient: identity.id, sender: sender)
    company.owe(name, to: node)
    if node != sender { company.owe(name, to: sender) }
  }

  func answer(_ fault: MessageFault, _ key: MessageKey, to node: NodeID) {
    counters.faults[fault, default: 0] += 1
    let delivered = book.mark(of: key.sender).delivered
    company[node]?.owe(Refusal(fault, key, delivered: delivered))
    company.wake(node)
  }

  private func take(
    _ receipt: Receipt, from node: NodeID, _ now: MessageTime
  ) throws(MessageFault) {
    let name = receipt.name
    let isOwn = receipt.sender == identity.id
    guard !isOwn || receipt.delivered <= sequence else { throw .malformed }
    let changed = shelf.without(receipt.recipient, upTo: receipt.delivered, of: receipt.sender)
    // Keys cost nothing: what signs for a message has to be one that it can be for.
    guard !isOwn || !changed.isEmpty || contacts.knows(name.recipient) || book.hasReceipt(of: name)
    else { throw .stranger }
    let news = isOwn ? book.news(receipt) : nil
    var changes = changed.map { JournalChange.remaining($0.key, $0.remaining) }
    if let news { changes.append(.receipt(receipt.recipient, news)) }
    guard changes.isEmpty || write(changes) else { return }
    let readers = changed.flatMap { shelf[$0.key]?.readers ?? [] }
    for change in changed { shelf.set(change.key, remaining: change.remaining) }
    company.unblock(receipt.sender, for: receipt.recipient)
    if let news {
      book.set(news, by: receipt.recipient)
      events.append(.receipt(from: receipt.recipient, news))
    }
    // Else of no use to anybody: neither of this node's messages, nor of what it keeps.
    guard isOwn || !changed.isEmpty || book.knows(name), book.note(receipt) else { return }
    if isOwn {
      for keeper in Set(company.keepers + readers).sorted() where keeper != receipt.recipient {
        company.owe(name, to: keeper)
      }
    } else {
      company.owe(name, to: receipt.sender)
    }
  }

  private func take(_ refusal: Refusal, from node: NodeID, _ now: MessageTime) {
    events.append(.refusedBy(node, refusal.fault, refusal.key))
    // Of others there is nothing to hand over again.
    guard shelf.count(of: refusal.key.sender) > 0, refusal.key.sender != node else { return }
    company[node]?.take(
      refusal, isOwn: refusal.key.sender == identity.id, nowNanoseconds: now.steadyNanoseconds)
    if refusal.fault == .full { chooseKeepers(now) }
  }

  /// What to say to a node next; nil: nothing now.
  public func next(for node: NodeID, now: MessageTime) -> [UInt8]? {
    guard var post = company[node] else { return nil }
    defer { company[node] = post }
    if post.owesCard {
      post.owesCard = false
      return MessageFrame.card(Card(of: identity, to: node)).octets
    }
    if let refusal = post.nextRefusal() { return refusal.octets }
    while let name = post.nextReceipt() {
      if let octets = book.octets(name) { return octets }
    }
    guard contacts.knows(node) else { return nil }
    return nextDelivery(to: node, &post, now) ?? nextToKeep(by: node, &post, now)
  }

  private func nextDelivery(
    to node: NodeID, _ post: inout PeerPost, _ now: MessageTime
  ) -> [UInt8]? {
    for sender in shelf.senders where sender != node {
      guard let place = post.place(of: sender, nowNanoseconds: now.steadyNanoseconds),
        let held = shelf.next(for: node, from: sender, after: place), audio.has(held.attachment),
        let parcel = parcel(held, firstFor: node, now)
      else { continue }
      post.noteHanded(
        held.key, isLong: held.attachment != nil, nowNanoseconds: now.steadyNanoseconds)
      return parcel
    }
    return nil
  }

  private func nextToKeep(
    by node: NodeID, _ post: inout PeerPost, _ now: MessageTime
  ) -> [UInt8]? {
    for held in shelf.all(of: identity.id) where !post.wasAsked(toKeep: held.key.sequence) {
      guard held.remaining.contains(where: { $0 != node && !company.has($0) }),
        company.keeps(
          held, node, knows: contacts.knows, nowNanoseconds: now.steadyNanoseconds)
      else { continue }
      post.noteAsked(toKeep: held.key.sequence)
      if let parcel = parcel(held, firstFor: nil, now) { return parcel }
    }
    return nil
  }

  /// - Parameter recipient: whom it is for; nil: it is to be kept.
  private func parcel(
    _ held: HeldEnvelope, firstFor recipient: NodeID?, _ now: MessageTime
  ) -> [UInt8]? {
    read { () throws(JournalError) in try journal.envelope(held.key) }.flatMap {
      shelf.parcel(held, $0, for: recipient, atRunSeconds: clock.seconds(now))?.octets
    }
  }

  /// What is read of the disk; nil, and told: it fails.
  private func read(_ body: () throws(JournalError) -> [UInt8]?) -> [UInt8]? {
    do throws(JournalError) {
      return try body()
    } catch {
      events.append(.trouble(error))
      return nil
    }
  }

  /// When ``tick(now:)`` is to be called at the latest, by the steady clock; `max`: not.
  public var nextDeadlineNanoseconds: Int64 {
    guard !shelf.isEmpty else { return audio.deadlineNanoseconds }
    return min(
      clock.deadlineNanoseconds, company.retryDeadlineNanoseconds, audio.deadlineNanoseconds)
  }

  /// Time passed: what is over goes, and what was handed over in vain is handed over again.
  public func tick(now: MessageTime) {
    let run = clock.seconds(now)
    if now.steadyNanoseconds >= clock.deadlineNanoseconds {
      clock.noteKept(now)
      _ = write([.runSeconds(run)])
    }
    expire(run)
    audio.tick(nowNanoseconds: now.steadyNanoseconds)
    company.tick(isHolding: !shelf.isEmpty, nowNanoseconds: now.steadyNanoseconds)
    chooseKeepers(now)
  }

  /// Keeps how long the node ran; before its end.
  public func finish(now: MessageTime) {
    if !shelf.isEmpty { _ = write([.runSeconds(clock.seconds(now))]) }
  }
}
