internal import Cryptography
internal import EventLoop
internal import Journal
internal import Logging
internal import Messages
internal import Recording
internal import Speech
internal import SpeechLink

/// Writes down what is said in voice messages: one at a time, the newest first, while no captions are made.
///
/// States: *looking* for a message that nobody listened to → *giving* the service its sound, a piece at a time → *kept*
/// beside the message. Captions that begin meanwhile end a piece, which is given again later. A service that is away is
/// left alone for longer each time (``RetryPace``). A message that it fails at ``mostFailures`` times while it is there
/// is passed over until the next start.
actor VoiceTranscriber {
  /// Where it reads and keeps.
  struct Surroundings: Sendable {
    /// Voice messages that nobody listened to, the oldest first.
    var unheard: @Sendable () async throws(JournalError) -> [HistoryEntry]
    /// Whether what a member says may be transcribed; nil: not known yet.
    var permits: @Sendable (NodeID) async -> Bool?
    /// The service is needed for captions.
    var isBusy: @Sendable () async -> Bool
    /// The file of a message; nil: it is gone, or damaged.
    var sound: @Sendable (Int64) async throws(JournalError) -> [UInt8]?
    /// Keeps what is said in a message; empty: nothing.
    var keep: @Sendable (String, Int64) async throws(JournalError) -> Void
    /// Waits that many seconds, or until a message came.
    var pause: @Sendable (Double) async -> Void
  }

  private enum Outcome {
    case text(String)
    /// It may not be, or cannot be, for good.
    case never
    /// Captions began.
    case interrupted
    case failed(SpeechFault)
  }

  private static let rate = 16_000
  /// A service that reads all at its end answers in time.
  private static let pieceFrames = 25 * rate
  /// In the last frames of a piece it is cut where it is quietest, over a tenth of a second.
  private static let cutFrames = 5 * rate
  /// Sound that the service gets at once; between two of them it waits.
  private static let blockFrames = rate / 4
  private static let blockPause = Duration.milliseconds(25)
  private static let lookSeconds = 10.0
  private static let busySeconds = 1.0
  private static let mostFailures = 5
  /// Octets of a transcript: ten minutes of fast speech have fewer.
  private static let mostBytes = 16 * 1024

  private let service: ServiceAddress
  private let link: SpeechLink
  private let parts: Surroundings
  private let log: Logger
  private var pace = RetryPace()
  private var failures: [Int64: Int] = [:]
  private var problem: String?

  init(
    at service: ServiceAddress, allowing hosts: [String], language: String? = nil,
    _ parts: Surroundings, log: Logger
  ) {
    (self.service, self.parts, self.log) = (service, parts, log)
    link = SpeechLink(allowing: hosts, language: language)
  }

  /// Runs until its task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let wait = await step()
      if wait > 0 { await parts.pause(wait) }
    }
    link.stop()
  }

  /// Does the next message, if it is time for one; after how many seconds there may be more.
  private func step() async -> Double {
    let now = EventLoop.nowNanoseconds()
    guard pace.isOpen(atNanoseconds: now) else {
      return max(0.1, Double(pace.deadlineNanoseconds - now) / 1e9)
    }
    guard await !parts.isBusy() else { return Self.busySeconds }
    do throws(JournalError) {
      guard let entry = try await next() else { return Self.lookSeconds }
      return try await transcribe(entry)
    } catch {
      tell("\(error)")
      return Self.lookSeconds
    }
  }

  /// The newest message that may be transcribed; those that may not are done with.
  private func next() async throws(JournalError) -> HistoryEntry? {
    for entry in try await parts.unheard().reversed() {
      guard failures[entry.number, default: 0] < Self.mostFailures else { continue }
      switch await parts.permits(entry.message.key.sender) {
      case true: return entry
      case false: try await parts.keep("", entry.number)
      default: continue
      }
    }
    return nil
  }

  private func transcribe(_ entry: HistoryEntry) async throws(JournalError) -> Double {
    let (number, sender) = (entry.number, entry.message.key.sender)
    let file = try await parts.sound(number)
    switch await words(of: file, tries: failures[number, default: 0]) {
    case .text(let text):
      (problem, failures[number]) = (nil, nil)
      pace.noteSuccess()
      // Who sent it may have refused while it was listened to.
      let isPermitted = await parts.permits(sender) != false
      try await parts.keep(isPermitted ? text : "", number)
    case .never: try await parts.keep("", number)
    case .interrupted: return Self.busySeconds
    case .failed(let fault):
      if fault != .unreachable { failures[number, default: 0] += 1 }
      pace.noteFailure(atNanoseconds: EventLoop.nowNanoseconds())
      tell("the recogniser at \(service): \(fault)")
    }
    return 0
  }

  /// Once, until it works again.
  private func tell(_ words: String) {
    guard words != problem else { return }
    problem = words
    log.event(.captionsFailed, "voice messages are not transcribed: \(words)")
  }

  // MARK: Sound

  /// All that is said in a file, piece by piece.
  private func words(of file: [UInt8]?, tries: Int) async -> Outcome {
    guard let file, let player = try? ClipPlayer(file, sampleRate: Self.rate) else { return .never }
    var (sound, text, isOver) = ([Float](), "", false)
    while !isOver || !sound.isEmpty {
      while !isOver, sound.count < Self.pieceFrames {
        if let more = player.read() { sound += more } else { isOver = true }
      }
      guard !sound.isEmpty else { break }
      let end = isOver && sound.count <= Self.pieceFrames ? sound.count : Self.cut(sound)
      switch await recognise(Array(sound[..<end]), tries: tries) {
      case .text(let piece):
        let words = piece.trimmingSpaces
        text += text.isEmpty || words.isEmpty ? words : " \(words)"
      case let other: return other
      }
      sound.removeFirst(end)
      while text.utf8.count > Self.mostBytes { text.removeLast() }
    }
    return .text(text)
  }

  /// Where to cut sound of at least a piece's length: in the middle of its quietest tenth of a second near the end.
  private static func cut(_ sound: [Float]) -> Int {
    let tenth = rate / 10
    var (best, least) = (pieceFrames, Float.infinity)
    for start in stride(from: pieceFrames - cutFrames, to: pieceFrames, by: tenth) {
      let level = sound[start..<start + tenth].reduce(0) { $0 + $1 * $1 }
      if level < least { (best, least) = (start + tenth / 2, level) }
    }
    return best
  }

  /// The text of one piece of sound.
  private func recognise(_ sound: [Float], tries: Int) async -> Outcome {
    guard await !parts.isBusy() else { return .interrupted }
    let line: SpeechLine
    do throws(SpeechLinkError) {
      line = try link.call(.recognise(language: nil), at: service)
    } catch {
      return .failed(.unreachable)
    }
    let watch = Task { [parts] in
      while !Task.isCancelled {
        if await parts.isBusy() { return line.stop() }
        try? await Task.sleep(for: .milliseconds(200))
      }
    }
    defer { watch.cancel() }
    async let answer = Self.answer(on: line)
    for start in stride(from: 0, to: sound.count, by: Self.blockFrames) {
      line.append(sound: Self.octets(sound[start..<min(start + Self.blockFrames, sound.count)]))
      // More slowly for a service that was slower than that.
      try? await Task.sleep(for: Self.blockPause * (1 << min(tries, 3)))
    }
    line.finishSound()
    return await answer
  }

  private static func answer(on line: SpeechLine) async -> Outcome {
    var text: String?
    while let news = await line.next() {
      for item in news {
        switch item {
        case .text(let all, _, _): text = all
        case .failed(.stopped): return .interrupted
        case .failed(let fault): return .failed(fault)
        default: break
        }
      }
    }
    return text.map { .text($0) } ?? .failed(.gone)
  }

  /// 16-bit samples, the lowest octet first.
  private static func octets(_ sound: ArraySlice<Float>) -> [UInt8] {
    sound.flatMap { value -> [UInt8] in
      let sample = value.isFinite ? Int16(max(-1, min(1, value)) * 32_767) : 0
      return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    let rest = drop(while: \.isWhitespace)
    guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(rest[...last])
  }
}
