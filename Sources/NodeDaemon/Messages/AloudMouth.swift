internal import Audio
internal import Intercom
internal import Speech

/// The sound of one text on its way to the ear, as fast as it is spoken.
actor AloudMouth {
  /// Sound that is played at most, whatever the service makes of a text.
  private static let mostSeconds = 60
  private static let look = Duration.milliseconds(20)
  /// JACK may stand still; then nothing is waited for.
  private static let patience = Duration.seconds(5)

  private let door: any AloudDoor
  private var feed: EarFeed?
  private var mouth: SpeechMouth?
  private var frames = 0

  init(_ door: any AloudDoor) { self.door = door }

  /// Why it was not heard once it is over; nil: it was.
  var complaint: String? {
    guard let feed, frames > 0 else { return "the service said nothing" }
    return feed.playedFrames < frames ? "JACK did not play all of it" : nil
  }

  /// No more of it is wanted, or can be heard.
  var isFull: Bool {
    guard let feed else { return false }
    return feed.isOver || frames >= Self.mostSeconds * feed.pipe.sampleRate
  }

  /// Opens the ear to sound of a form.
  ///
  /// - Returns: why that cannot be, in words.
  func open(_ format: SoundFormat) async -> String? {
    do throws(IntercomError) {
      let feed = try await door.makeEarFeed()
      mouth = SpeechMouth(
        rate: format.rate, channels: format.channels, sampleRate: feed.pipe.sampleRate)
      guard mouth != nil else { return "its sound has \(format.rate) Hz, which is too odd" }
      try await door.speak(feed)
      self.feed = feed
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Plays some; returns once all of it waits in the ear's queue.
  func play(_ octets: [UInt8]) async {
    guard let feed, let sound = mouth?.frames(of: octets) else { return }
    var done = 0
    var end = ContinuousClock.now + Self.patience
    while done < sound.count, !isFull {
      let count = min(sound.count - done, feed.pipe.roomFrames)
      if count > 0 {
        feed.pipe.write(sound.span.extracting(done..<(done + count)))
        (done, frames) = (done + count, frames + count)
        end = .now + Self.patience
      } else {
        guard ContinuousClock.now < end else { return await door.silence(feed) }
        try? await Task.sleep(for: Self.look)
      }
    }
  }

  /// Nothing more comes: waits until all was heard.
  ///
  /// - Parameter isCutOff: what was not heard yet is not wanted.
  func finish(isCutOff: Bool) async {
    guard let feed else { return }
    feed.pipe.end()
    var (heard, end) = (feed.playedFrames, ContinuousClock.now + Self.patience)
    while !feed.isOver, !isCutOff {
      try? await Task.sleep(for: Self.look)
      if feed.playedFrames != heard {
        (heard, end) = (feed.playedFrames, ContinuousClock.now + Self.patience)
      } else if ContinuousClock.now >= end {
        break
      }
    }
    await door.silence(feed)
  }
}
