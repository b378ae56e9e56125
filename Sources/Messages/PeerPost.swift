internal import Cryptography

/// What is to be said to one member that is on, and what it was told since it came.
struct PeerPost {
  /// What it lacks is tried again after so long, and what it was sent in vain.
  static let retryNanoseconds: Int64 = 60_000_000_000

  /// The same of what this node has, as far as it knows.
  static let shortRetryNanoseconds: Int64 = 1_000_000_000

  /// Whether it is to be told who this node is.
  var owesCard = true
  /// Up to where it was handed what is for it, by sender.
  private var handed: [NodeID: UInt64] = [:]
  /// Senders whose messages it does not take now, and until when.
  private var blocked: [NodeID: Int64] = [:]
  /// For how long that was, of senders of whom it lacks what another keeper may bring; twice as long each time.
  private var pauses: [NodeID: Int64] = [:]
  /// Messages of this node that it was asked to keep.
  private var asked: Set<UInt64> = []
  /// Until when it keeps nothing more.
  private var isFullUntil: Int64 = .min
  /// When it was handed something last.
  private var handedNanoseconds: Int64 = .min
  private var receipts: [ReceiptName] = []
  private var refusals: [Refusal] = []

  // MARK: What is to be said

  mutating func owe(_ receipt: ReceiptName) {
    if !receipts.contains(receipt) { receipts.append(receipt) }
  }

  mutating func nextReceipt() -> ReceiptName? {
    receipts.isEmpty ? nil : receipts.removeFirst()
  }

  /// Refuses; those beyond the limit are told by nothing coming back.
  mutating func owe(_ refusal: Refusal) {
    if refusals.count < MessageLimits.refusals { refusals.append(refusal) }
  }

  mutating func nextRefusal() -> Refusal? { refusals.isEmpty ? nil : refusals.removeFirst() }

  // MARK: What is for it

  /// After which sequence of a sender it is handed the next; nil: it takes none of that sender's now.
  mutating func place(of sender: NodeID, nowNanoseconds now: Int64) -> UInt64? {
    if let until = blocked[sender] {
      guard now >= until else { return nil }
      blocked[sender] = nil
    }
    return handed[sender] ?? 0
  }

  /// - Parameter isLong: it asks for audio first, and for nothing of that sender's meanwhile.
  mutating func noteHanded(_ key: MessageKey, isLong: Bool, nowNanoseconds now: Int64) {
    if isLong { blocked[key.sender] = .max }
    handed[key.sender] = max(handed[key.sender] ?? 0, key.sequence)
    handedNanoseconds = now
  }

  /// It does not take what it was sent.
  mutating func take(_ refusal: Refusal, isOwn: Bool, nowNanoseconds now: Int64) {
    switch refusal.fault {
    case .missing:
      // Of its own messages a node has those before; a keeper may not, as of a private line that it is not on.
      let sender = refusal.key.sender
      let last = isOwn ? 0 : pauses[sender] ?? 0
      let pause = min(Self.retryNanoseconds, max(Self.shortRetryNanoseconds, 2 * last))
      pauses[sender] = pause
      goBack(sender, to: refusal.delivered, nowNanoseconds: now, pauseNanoseconds: pause)
    case .disk:
      goBack(
        refusal.key.sender, to: refusal.delivered, nowNanoseconds: now,
        pauseNanoseconds: Self.retryNanoseconds)
    case .full: if isOwn { noteFull(nowNanoseconds: now) }
    default: break
    }
  }

  /// It lacks what comes after a sequence.
  private mutating func goBack(
    _ sender: NodeID, to sequence: UInt64, nowNanoseconds now: Int64, pauseNanoseconds: Int64
  ) {
    handed[sender] = sequence
    blocked[sender] = now.saturating(adding: pauseNanoseconds)
  }

  /// What it did not take for a time may be handed to it again.
  mutating func lapse(nowNanoseconds now: Int64) { blocked = blocked.filter { $0.value > now } }

  /// There is something new of a sender.
  mutating func unblock(_ sender: NodeID) {
    blocked[sender] = nil
    pauses[sender] = nil
  }

  /// Whether what it was handed was in vain, as it seems.
  func isOverdue(nowNanoseconds now: Int64) -> Bool {
    handedNanoseconds > .min && now >= handedNanoseconds.saturating(adding: Self.retryNanoseconds)
  }

  /// Everything that it does not have is handed to it once more.
  mutating func beginAgain() {
    handed = [:]
    blocked = blocked.filter { $0.value < .max }
    asked = []
    handedNanoseconds = .min
  }

  var retryDeadlineNanoseconds: Int64 {
    let overdue =
      handedNanoseconds == .min
      ? .max : handedNanoseconds.saturating(adding: Self.retryNanoseconds)
    return blocked.values.reduce(overdue, min)
  }

  // MARK: What it keeps

  /// Whether it keeps more.
  func keeps(nowNanoseconds now: Int64) -> Bool { now >= isFullUntil }

  func wasAsked(toKeep sequence: UInt64) -> Bool { asked.contains(sequence) }

  mutating func noteAsked(toKeep sequence: UInt64) { asked.insert(sequence) }

  private mutating func noteFull(nowNanoseconds now: Int64) {
    isFullUntil = now.saturating(adding: 10 * Self.retryNanoseconds)
    asked = []
  }
}

extension Int64 {
  /// The sum, or the largest number.
  func saturating(adding other: Int64) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
