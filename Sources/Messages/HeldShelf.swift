internal import Cryptography

/// The envelopes that a node holds, its own and others', without their octets.
struct HeldShelf {
  private var entries: [MessageKey: HeldEnvelope] = [:]
  /// Sequences of each sender, ascending.
  private var sequences: [NodeID: [UInt64]] = [:]
  /// Octets of each sender.
  private(set) var bytes: [NodeID: Int] = [:]

  init(_ held: [HeldEnvelope]) {
    for entry in held.sorted(by: { $0.key < $1.key }) { insert(entry) }
  }

  subscript(key: MessageKey) -> HeldEnvelope? { entries[key] }

  var isEmpty: Bool { entries.isEmpty }

  /// Whether one more of a sender's own may wait, with what is attached to it.
  func hasRoom(of sender: NodeID, for attachment: Attachment?) -> Bool {
    count(of: sender) < MessageLimits.waiting
      && (bytes[sender] ?? 0) + (attachment?.byteCount ?? 0) <= MessageLimits.waitingBytes
  }

  func count(of sender: NodeID) -> Int { sequences[sender]?.count ?? 0 }

  /// Octets of all but one sender.
  func bytes(besides own: NodeID) -> Int {
    bytes.values.reduce(0, +) - (bytes[own] ?? 0)
  }

  /// All of a sender, in its order.
  func all(of sender: NodeID) -> [HeldEnvelope] {
    (sequences[sender] ?? []).compactMap { entries[MessageKey(sender: sender, sequence: $0)] }
  }

  mutating func insert(_ entry: HeldEnvelope) {
    let key = entry.key
    guard entries.updateValue(entry, forKey: key) == nil else { return }
    var list = sequences.removeValue(forKey: key.sender) ?? []
    list.insert(key.sequence, at: Self.place(of: key.sequence, in: list))
    sequences[key.sender] = list
    bytes[key.sender, default: 0] += entry.keptByteCount
  }

  mutating func remove(_ key: MessageKey) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    sequences[key.sender]?.removeAll { $0 == key.sequence }
    bytes[key.sender, default: 0] -= entry.keptByteCount
    if sequences[key.sender]?.isEmpty == true {
      sequences[key.sender] = nil
      bytes[key.sender] = nil
    }
  }

  /// Takes a node from those who do not have a sender's messages yet, up to one.
  ///
  /// - Returns: what changed, of each the rest.
  func without(
    _ recipient: NodeID, upTo sequence: UInt64, of sender: NodeID
  ) -> [(key: MessageKey, remaining: [NodeID])] {
    all(of: sender).prefix { $0.key.sequence <= sequence }.compactMap { entry in
      guard entry.remaining.contains(recipient) else { return nil }
      return (entry.key, entry.remaining.filter { $0 != recipient })
    }
  }

  mutating func set(_ key: MessageKey, remaining: [NodeID]) {
    if remaining.isEmpty { remove(key) } else { entries[key]?.remaining = remaining }
  }

  /// The next one after a sequence that is for a node.
  func next(for recipient: NodeID, from sender: NodeID, after sequence: UInt64) -> HeldEnvelope? {
    guard let list = sequences[sender], sequence < .max else { return nil }
    for index in Self.place(of: sequence + 1, in: list)..<list.count {
      let entry = entries[MessageKey(sender: sender, sequence: list[index])]
      if let entry, entry.remaining.contains(recipient) { return entry }
    }
    return nil
  }

  /// The last one that is for a node.
  private func last(for recipient: NodeID, from sender: NodeID) -> HeldEnvelope? {
    for sequence in (sequences[sender] ?? []).reversed() {
      let entry = entries[MessageKey(sender: sender, sequence: sequence)]
      if let entry, entry.remaining.contains(recipient) { return entry }
    }
    return nil
  }

  /// An envelope as it is handed over.
  ///
  /// - Parameter recipient: whom it is for; nil: it is to be kept.
  func parcel(
    _ held: HeldEnvelope, _ octets: [UInt8], for recipient: NodeID?, atRunSeconds run: UInt64
  ) -> Parcel? {
    guard let life = Envelope.lifetimeSeconds(of: octets) else { return nil }
    let left = held.untilRunSeconds > run ? held.untilRunSeconds - run : 0
    let age = UInt64(life) - min(left, UInt64(life))
    let first = recipient.flatMap { next(for: $0, from: held.key.sender, after: 0) }
    let role: Parcel.Role =
      recipient == nil ? .keep : first?.key == held.key ? .deliverFirst : .deliver
    return Parcel(role: role, ageSeconds: UInt32(age), envelope: octets)
  }

  /// All who do not have something yet.
  var recipients: Set<NodeID> { Set(entries.values.flatMap(\.remaining)) }

  /// What a sender's next message says of one of those it is for.
  func recipient(
    _ node: NodeID, of sender: NodeID, atRunSeconds run: UInt64
  ) -> Envelope.Recipient {
    let last = last(for: node, from: sender)
    let life = last.map { $0.untilRunSeconds > run ? $0.untilRunSeconds - run : 0 } ?? 0
    return Envelope.Recipient(
      node: node, previous: last?.key.sequence ?? 0, previousLifeSeconds: UInt32(clamping: life))
  }

  /// Whose messages there are.
  var senders: [NodeID] { sequences.keys.sorted() }

  /// Those whose time is over, or that are of no use.
  func expired(
    atRunSeconds now: UInt64, isUseless: (HeldEnvelope) -> Bool
  ) -> [HeldEnvelope] {
    entries.values.filter { $0.untilRunSeconds <= now || isUseless($0) }.sorted { $0.key < $1.key }
  }

  var firstEndRunSeconds: UInt64? { entries.values.map(\.untilRunSeconds).min() }

  private static func place(of sequence: UInt64, in list: [UInt64]) -> Int {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle] < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
