internal import Cryptography

/// A message of this node that is about to be sent: as the history has it, and as it is held for those it is for.
struct Draft {
  let message: Message
  let held: HeldEnvelope
  let octets: [UInt8]

  /// What is kept of it, all at once.
  var changes: [JournalChange] {
    [.sequence(message.key.sequence), message.change, .hold(held, octets: octets)]
  }

  /// Seals and signs it.
  init(
    _ content: MessageContent, isAloud: Bool, to conversation: Conversation, sequence: UInt64,
    for recipients: [Envelope.Recipient], _ way: SealingWay, by identity: any MessageIdentity,
    lifetimeSeconds: UInt32, atRunSeconds run: UInt64, now: MessageTime
  ) throws(SayError) {
    let envelope: Envelope
    do throws(CryptoError) {
      envelope = try Envelope.write(
        SealedContent(
          content, isAloud: isAloud, sentUnixMilliseconds: now.unixMilliseconds),
        sequence: sequence,
        lifetimeSeconds: lifetimeSeconds, by: identity, for: recipients, way)
    } catch {
      throw .crypto("\(error)")
    }
    octets = envelope.octets
    // Many on a line that share no group: each key takes its room.
    guard octets.count <= MessageLimits.envelopeBytes else {
      throw .tooMany(count: recipients.count)
    }
    message = Message(
      key: envelope.key, conversation: conversation, content: content,
      sentUnixMilliseconds: now.unixMilliseconds, takenUnixMilliseconds: now.unixMilliseconds,
      recipients: recipients.map(\.node))
    held = HeldEnvelope(
      key: envelope.key, byteCount: octets.count, attachment: content.attachment,
      remaining: recipients.map(\.node), untilRunSeconds: run + UInt64(lifetimeSeconds),
      readers: way.isHidden ? recipients.map(\.node) : [])
  }
}
