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
  public private(set) var counters = MessageCounters()

  private let identity: any MessageIdentity
  private let journal: any MessageJournal
  private let settings: MessageSettings
  private var shelf: HeldShelf
  private var contacts: ContactBook
  private var book: ReceiptBook
  private var sequence: UInt64
  private var clock: RunClock
  private var peers: [NodeID: PeerPost] = [:]
  /// Members that keep this node's messages.
  private var keepers: [NodeID] = []
  /// Nodes whose messages are not taken.
  private var blocked: Set<NodeID> = []
  private var (events, woken): ([MessageEvent], Set<NodeID>) = ([], [])

  /// Goes on with what was kept.
  ///
  /// - Parameter instance: the number of the node's start, greater than that of each before it.
  public init(
    identity: any MessageIdentity, journal: any MessageJournal, settings: MessageSettings,
    instance: UInt64, now: MessageTime
  ) throws(JournalError) {
    let state = try journal.load()
    (self.identity, self.journal, self.settings) = (identity, journal, settings)
    shelf = HeldShelf(state.held)
    contacts = ContactBook(state.contacts, of: identity)
    book = ReceiptBook(state, of: identity)
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
  public func takeWoken() -> Set<NodeID> {
    defer { woken = [] }
    return woken
  }

  /// Nodes that a message can be sealed for.
  public var knownNodes: Set<NodeID> { contacts.nodes }

  /// Up to where others have, and their users read, what this node sent them.
  public var receiptMarks: [NodeID: MessageMark] { book.receipts }

  /// Who does not have a message of this node yet, and may still get it.
  public func remaining(of key: MessageKey) -> [NodeID] { shelf[key]?.remaining ?? [] }

  /// Octets that are kept for others.
  public var keptBytes: Int { shelf.bytes(besides: identity.id) }

  /// Messages of this node that not all have yet.
  public var waitingCount: Int { shelf.count(of: identity.id) }

  /// A node is a member, and can be sent to.
  public func join(_ node: NodeID, now: MessageTime) {
    guard node != identity.id else { return }
    var post = PeerPost()
    book.names(for: node).forEach { post.owe($0) }
    peers[node] = post
    wake(node)
    chooseKeepers(now)
  }

  /// A node is no member for now.
  public func leave(_ node: NodeID, now: MessageTime) {
    guard peers.removeValue(forKey: node) != nil else { return }
    woken.remove(node)
    keepers.removeAll { $0 == node }
    chooseKeepers(now)
  }

  /// This node is in other groups now: all are told.
  public func groupsChanged() {
    for node in peers.keys {
      peers[node]?.owesCard = true
      wake(node)
    }
  }

  private func wake(_ node: NodeID) {
    if peers[node] != nil { woken.insert(node) }
  }

  /// Members that are on keep what somebody who is away does not have.
  private func chooseKeepers(_ now: MessageTime) {
    keepers.removeAll { peers[$0]?.keeps(nowNanoseconds: now.steadyNanoseconds) != true }
    let own = shelf.all(of: identity.id)
    guard own.contains(where: { $0.remaining.contains { peers[$0] == nil } }) else { return }
    let able = peers.keys.filter { node in
      !keepers.contains(node) && contacts.knows(node)
        && peers[node]?.keeps(nowNanoseconds: now.steadyNanoseconds) == true
    }
    keepers += able.sorted().prefix(max(0, MessageLimits.keepers - keepers.count))
    keepers.forEach(wake)
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
  /// - Returns: the message; it is kept when this returns.
  public func say(
    _ text: String, to conversation: Conversation, now: MessageTime
  ) throws(SayError) -> Message {
    let count = text.utf8.count
    guard (1...MessageLimits.textBytes).contains(count), !text.utf8.contains(0) else {
      throw .text(byteCount: count)
    }
    let (nodes, way) = try contacts.audience(of: conversation)
    guard shelf.count(of: identity.id) < MessageLimits.waiting else { throw .crowded }
    let run = clock.seconds(now)
    let recipients = nodes.map { shelf.recipient($0, of: identity.id, atRunSeconds: run) }
    let content = SealedContent(.text(text), sentUnixMilliseconds: now.unixMilliseconds)
    let envelope: Envelope
    do throws(CryptoError) {
      envelope = try Envelope.write(
        content, sequence: sequence + 1, lifetimeSeconds: settings.lifetimeSeconds, by: identity,
        for: recipients, way)
    } catch {
      throw .crypto("\(error)")
    }
    let message = Message(
      key: envelope.key, conversation: conversation, content: .text(text),
      sentUnixMilliseconds: now.unixMilliseconds, takenUnixMilliseconds: now.unixMilliseconds,
      recipients: nodes)
    let held = HeldEnvelope(
      key: envelope.key, byteCount: envelope.octets.count, remaining: nodes,
      untilRunSeconds: run + UInt64(settings.lifetimeSeconds))
    do throws(JournalError) {
      try journal.write([
        .sequence(sequence + 1), .message(message),
        .hold(
          held.key, octets: envelope.octets, remaining: nodes, untilRunSeconds: held.untilRunSeconds
        ),
      ])
    } catch {
      throw .journal("\(error)")
    }
    sequence += 1
    shelf.insert(held)
    events.append(.message(message))
    nodes.forEach(wake)
    chooseKeepers(now)
    return message
  }

  /// The user read all of a sender's messages up to one.
  public func markRead(_ sender: NodeID, upTo sequence: UInt64) {
    var mark = book.mark(of: sender)
    let read = min(sequence, mark.delivered)
    guard read > mark.read else { return }
    mark.read = read
    guard write([.mark(sender, mark)]) else { return }
    book.set(mark, of: sender)
    owe(ReceiptName(recipient: identity.id, sender: sender), to: sender)
  }

  private func owe(_ receipt: ReceiptName, to node: NodeID) {
    peers[node]?.owe(receipt)
    wake(node)
  }

  /// Keeps changes; false, and told: the disk fails.
  private func write(_ changes: [JournalChange]) -> Bool {
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
    var stale: NodeID?
    if !contacts.knows(node) {
      stale = contacts.stale(waiting: shelf.recipients, present: Set(peers.keys))
    }
    if let stale { changes.append(.forget(stale)) }
    guard write(changes) else { return }
    if let stale { contacts.set(nil, of: stale) }
    contacts.set(contact, of: node)
    wake(node)
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
    let next = MessageMark(delivered: key.sequence, read: mark.read)
    var changes = [JournalChange.mark(key.sender, next)]
    var message: Message?
    // What is not taken is acknowledged all the same: it would come for ever.
    do throws(MessageFault) {
      guard isWelcome(envelope) else { throw .stranger }
      let (conversation, content) = try envelope.open(as: identity)
      let opened = Message(
        key: key, conversation: conversation, content: content.content,
        sentUnixMilliseconds: content.sentUnixMilliseconds,
        takenUnixMilliseconds: now.unixMilliseconds)
      changes.append(.message(opened))
      message = opened
    } catch {
      refuse(error, of: node)
    }
    guard write(changes) else { return answer(.disk, key, to: node) }
    book.set(next, of: key.sender)
    if let message {
      counters.taken += 1
      events.append(.message(message))
    }
    acknowledge(key.sender, to: node)
  }

  /// Who was never a member here may write to a group, by its secret, but not to this node alone.
  private func isWelcome(_ envelope: Envelope) -> Bool {
    let sender = envelope.key.sender
    return !blocked.contains(sender) && (envelope.audience != .member || contacts.knows(sender))
  }

  /// Tells how far this node is with a sender's messages: the sender, and who handed one over.
  private func acknowledge(_ sender: NodeID, to node: NodeID) {
    let name = ReceiptName(recipient: identity.id, sender: sender)
    owe(name, to: node)
    if node != sender { owe(name, to: sender) }
  }

  private func answer(_ fault: MessageFault, _ key: MessageKey, to node: NodeID) {
    counters.faults[fault, default: 0] += 1
    let delivered = book.mark(of: key.sender).delivered
    peers[node]?.owe(Refusal(fault, key, delivered: delivered))
    wake(node)
  }

  private func keep(
    _ envelope: Envelope, ageSeconds: UInt32, from node: NodeID, _ now: MessageTime
  ) throws(MessageFault) {
    let key = envelope.key
    guard node == key.sender else { throw .notTheSender }
    guard shelf[key] == nil else { return counters.repeated += 1 }
    let remaining = envelope.recipients.map(\.node).filter {
      $0 != identity.id && !book.has($0, key)
    }
    guard !remaining.isEmpty, ageSeconds < envelope.lifetimeSeconds else { return }
    let size = envelope.octets.count
    guard keptBytes + size <= settings.keepBytes,
      (shelf.bytes[key.sender] ?? 0) + size <= settings.keepBytesPerSender
    else { return answer(.full, key, to: node) }
    let held = HeldEnvelope(
      key: key, byteCount: size, remaining: remaining,
      untilRunSeconds: clock.seconds(now) + UInt64(envelope.lifetimeSeconds - ageSeconds))
    let change = JournalChange.hold(
      key, octets: envelope.octets, remaining: remaining, untilRunSeconds: held.untilRunSeconds)
    guard write([change]) else { return answer(.disk, key, to: node) }
    shelf.insert(held)
    counters.kept += 1
    for recipient in remaining {
      peers[recipient]?.unblock(key.sender)
      wake(recipient)
    }
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
    for change in changed { shelf.set(change.key, remaining: change.remaining) }
    peers[receipt.recipient]?.unblock(receipt.sender)
    wake(receipt.recipient)
    if let news {
      book.set(news, by: receipt.recipient)
      events.append(.receipt(from: receipt.recipient, news))
    }
    // Else of no use to anybody: neither of this node's messages, nor of what it keeps.
    guard isOwn || !changed.isEmpty || book.knows(name), book.note(receipt) else { return }
    if isOwn {
      for keeper in keepers where keeper != receipt.recipient { owe(name, to: keeper) }
    } else {
      owe(name, to: receipt.sender)
    }
  }

  private func take(_ refusal: Refusal, from node: NodeID, _ now: MessageTime) {
    events.append(.refusedBy(node, refusal.fault, refusal.key))
    switch refusal.fault {
    case .missing, .disk:
      // Of others there is nothing to hand over again.
      guard shelf.count(of: refusal.key.sender) > 0, refusal.key.sender != node else { return }
      // Of its own messages a node has those before; a keeper may not.
      let isOwn = refusal.key.sender == identity.id && refusal.fault == .missing
      peers[node]?.goBack(
        refusal.key.sender, to: refusal.delivered, nowNanoseconds: now.steadyNanoseconds,
        pauseNanoseconds: isOwn ? PeerPost.shortRetryNanoseconds : PeerPost.retryNanoseconds)
    case .full:
      guard refusal.key.sender == identity.id else { return }
      peers[node]?.noteFull(nowNanoseconds: now.steadyNanoseconds)
      chooseKeepers(now)
    default: break
    }
  }

  /// What to say to a node next; nil: nothing now.
  public func next(for node: NodeID, now: MessageTime) -> [UInt8]? {
    guard var post = peers[node] else { return nil }
    defer { peers[node] = post }
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
        let held = shelf.next(for: node, from: sender, after: place),
        let parcel = parcel(held, firstFor: node, now)
      else { continue }
      post.noteHanded(held.key, nowNanoseconds: now.steadyNanoseconds)
      return parcel
    }
    return nil
  }

  private func nextToKeep(
    by node: NodeID, _ post: inout PeerPost, _ now: MessageTime
  ) -> [UInt8]? {
    guard keepers.contains(node) else { return nil }
    for held in shelf.all(of: identity.id) where !post.wasAsked(toKeep: held.key.sequence) {
      guard held.remaining.contains(where: { $0 != node && peers[$0] == nil }) else { continue }
      post.noteAsked(toKeep: held.key.sequence)
      if let parcel = parcel(held, firstFor: nil, now) { return parcel }
    }
    return nil
  }

  /// - Parameter recipient: whom it is for; nil: it is to be kept.
  private func parcel(
    _ held: HeldEnvelope, firstFor recipient: NodeID?, _ now: MessageTime
  ) -> [UInt8]? {
    do throws(JournalError) {
      guard let octets = try journal.envelope(held.key),
        let life = Envelope.lifetimeSeconds(of: octets)
      else { return nil }
      let run = clock.seconds(now)
      let left = held.untilRunSeconds > run ? held.untilRunSeconds - run : 0
      let age = UInt64(life) - min(left, UInt64(life))
      let first = recipient.flatMap { shelf.next(for: $0, from: held.key.sender, after: 0) }
      let role: Parcel.Role =
        recipient == nil ? .keep : first?.key == held.key ? .deliverFirst : .deliver
      return Parcel(role: role, ageSeconds: UInt32(age), envelope: octets).octets
    } catch {
      events.append(.trouble(error))
      return nil
    }
  }

  /// When ``tick(now:)`` is to be called at the latest, by the steady clock; `max`: not.
  public var nextDeadlineNanoseconds: Int64 {
    guard !shelf.isEmpty else { return .max }
    let retry = peers.values.reduce(Int64.max) { min($0, $1.retryDeadlineNanoseconds) }
    return min(clock.deadlineNanoseconds, retry)
  }

  /// Time passed: what is over goes, and what was handed over in vain is handed over again.
  public func tick(now: MessageTime) {
    let run = clock.seconds(now)
    if now.steadyNanoseconds >= clock.deadlineNanoseconds {
      clock.noteKept(now)
      _ = write([.runSeconds(run)])
    }
    expire(run)
    for (node, post) in peers where post.isOverdue(nowNanoseconds: now.steadyNanoseconds) {
      peers[node]?.beginAgain()
      wake(node)
    }
    for node in peers.keys {
      // Else a sender of whom nothing is held any more would be due for ever.
      peers[node]?.lapse(nowNanoseconds: now.steadyNanoseconds)
      if !shelf.isEmpty { wake(node) }
    }
    chooseKeepers(now)
  }

  private func expire(_ run: UInt64) {
    let expired = shelf.expired(atRunSeconds: run)
    guard !expired.isEmpty, write(expired.map { .remaining($0.key, []) }) else { return }
    expired.forEach { shelf.remove($0.key) }
    for held in expired where held.key.sender == identity.id {
      counters.expired += 1
      events.append(.expired(held.key, held.remaining))
    }
  }

  /// Keeps how long the node ran; before its end.
  public func finish(now: MessageTime) {
    if !shelf.isEmpty { _ = write([.runSeconds(clock.seconds(now))]) }
  }
}
