public import Speech

/// A request to a service under way: its sound goes in, what comes of it comes out.
///
/// Any thread; one at a time waits for news. Whoever gives sound never waits: a service that takes it too slowly fails
/// the call (``SpeechFault/behind``).
public final class SpeechLine: Sendable {
  private let box: SpeechMailbox<SpeechNews>
  private let steer: @Sendable (SpeechConnection.Order) -> Void

  init(
    _ box: SpeechMailbox<SpeechNews>, steer: @escaping @Sendable (SpeechConnection.Order) -> Void
  ) {
    (self.box, self.steer) = (box, steer)
  }

  deinit { stop() }

  /// Gives speech in ``SoundFormat/speech``.
  public func append(sound pcm: [UInt8]) { steer(.sound(pcm)) }

  /// No more speech comes.
  public func finishSound() { steer(.finish) }

  /// Ends the call.
  public func stop() { steer(.stop) }

  /// What came of it since the last call, at least one; nil: nothing more comes.
  public func next() async -> [SpeechNews]? {
    let news = await box.next()
    steer(.read)
    return news
  }
}
