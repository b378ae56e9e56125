internal import Cryptography

/// What is kept for others.
extension MessageDesk {
  /// Keeps what its sender asks to be kept, until all whom it is for have it.
  func keep(
    _ envelope: Envelope, ageSeconds: UInt32, from node: NodeID, _ now: MessageTime
  ) throws(MessageFault) {
    let key = envelope.key
    guard node == key.sender else { throw .notTheSender }
    guard shelf[key] == nil else {
      if let attachment = envelope.attachment, !audio.holds(attachment) {
        _ = audio.fetch(attachment, from: node, then: nil, now)
      }
      return counters.repeated += 1
    }
    let remaining = envelope.recipients.map(\.node).filter {
      $0 != identity.id && !book.has($0, key)
    }
    guard !remaining.isEmpty, ageSeconds < envelope.lifetimeSeconds else { return }
    let held = HeldEnvelope(
      key: key, byteCount: envelope.octets.count, attachment: envelope.attachment,
      remaining: remaining,
      untilRunSeconds: clock.seconds(now) + UInt64(envelope.lifetimeSeconds - ageSeconds))
    let size = held.keptByteCount
    guard keptBytes + size <= settings.keepBytes,
      (shelf.bytes[key.sender] ?? 0) + size <= settings.keepBytesPerSender
    else { return answer(.full, key, to: node) }
    if let attachment = envelope.attachment, !audio.holds(attachment),
      !audio.fetch(attachment, from: node, then: nil, now)
    {
      return answer(.full, key, to: node)
    }
    guard write([.hold(held, octets: envelope.octets)]) else {
      return answer(.disk, key, to: node)
    }
    shelf.insert(held)
    counters.kept += 1
    for recipient in remaining { company.unblock(key.sender, for: recipient) }
  }

  /// What is over goes, and of what is kept for others that whose sound is not here and asked of nobody.
  ///
  /// It could never be handed over. Its sender asks again when it is back.
  func expire(_ run: UInt64) {
    let expired = shelf.expired(atRunSeconds: run) {
      $0.key.sender != identity.id && audio.isLost($0.attachment)
    }
    guard !expired.isEmpty, write(expired.map { .remaining($0.key, []) }) else { return }
    for held in expired {
      shelf.remove(held.key)
      audio.giveUp(held.attachment)
      guard held.key.sender == identity.id else { continue }
      counters.expired += 1
      events.append(.expired(held.key, held.remaining))
    }
  }
}
