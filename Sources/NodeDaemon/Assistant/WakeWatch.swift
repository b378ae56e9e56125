internal import Audio
internal import EventLoop
internal import Intercom
internal import Logging
internal import Speech
internal import SpeechLink

/// Listens for a wake word at the station's microphone, by a Wyoming service, while nobody else has that.
///
/// States: *off* (nobody agreed) → *listening* (the microphone goes to the service) → *lent* (a call, or a satellite's
/// client, has microphone and ear; what is said between the wake word and the call waits there) → *listening* …. A
/// service that fails is left alone for a while, longer each time. On Swift's ordinary pool.
actor WakeWatch: EarDoor {
  private static let look = Duration.milliseconds(40)
  private static let rest = Duration.milliseconds(200)

  private let door: any EarDoor
  private let services: SpeechServices
  private let address: ServiceAddress
  private let words: [String]
  private let log: Logger
  private var link: EarLink?
  private var lent: EarLink?
  private var isAllowed = false
  private var pace = RetryPace()
  private var isToldOf: SpeechFault?
  private var line: SpeechLine?
  private var watching: Task<Void, Never>?
  private var woke: @Sendable (String?) async -> Void = { _ in }

  /// - Parameters:
  ///   - words: those that count; none: any that the service knows.
  init(
    _ door: any EarDoor, _ services: SpeechServices, at address: ServiceAddress, words: [String],
    log: Logger
  ) {
    (self.door, self.services, self.address) = (door, services, address)
    (self.words, self.log) = (words, log)
  }

  /// Begins; `woke` is told of each wake word, and waited for.
  func start(_ woke: @escaping @Sendable (String?) async -> Void) {
    self.woke = woke
    watching = Task { [weak self] in
      while !Task.isCancelled, await self?.turn() == true {}
    }
  }

  /// The microphone may go to the service from now on, or no more.
  func allow(_ isAllowed: Bool) {
    self.isAllowed = isAllowed
    if !isAllowed { line?.stop() }
  }

  /// Ends it.
  func finish() async {
    watching?.cancel()
    line?.stop()
    if let link { await door.closeEar(link) }
    link = nil
  }

  func openEar() async throws(IntercomError) -> EarLink {
    line?.stop()
    guard let link, !link.isOver else {
      self.link = nil
      let link = try await door.openEar()
      lent = link
      return link
    }
    (self.link, lent) = (nil, link)
    return link
  }

  func closeEar(_ link: EarLink) async {
    if lent === link { lent = nil }
    await door.closeEar(link)
  }

  /// One try at the service; false: it is over.
  private func turn() async -> Bool {
    guard isAllowed, lent == nil, pace.isOpen(atNanoseconds: EventLoop.nowNanoseconds()),
      let link = await ownLink(), let ear = MicrophoneEar(sampleRate: link.sampleRate)
    else {
      if !isAllowed, let unwanted = self.link {
        self.link = nil
        await door.closeEar(unwanted)
      }
      try? await Task.sleep(for: Self.rest)
      return true
    }
    do throws(SpeechLinkError) {
      let line = try services.link.call(.wake(words: words), at: address)
      self.line = line
      async let heard = news(of: line)
      await give(link, ear, to: line)
      let (word, fault) = await heard
      self.line = nil
      // A call that began meanwhile has its own microphone.
      if let word, lent == nil, isAllowed { await woke(word.isEmpty ? nil : word) }
      note(fault)
    } catch {
      note(.unreachable)
    }
    return true
  }

  /// The microphone, while nobody else has it; nil: it cannot be had.
  private func ownLink() async -> EarLink? {
    if let link, !link.isOver { return link }
    if let link { await door.closeEar(link) }
    link = nil
    guard let opened = try? await door.openEar() else { return nil }
    // Somebody else wanted it just then.
    guard lent == nil, !Task.isCancelled else {
      await door.closeEar(opened)
      return nil
    }
    link = opened
    return opened
  }

  private var isGiving: Bool { line != nil && lent == nil && isAllowed }

  private func give(_ link: EarLink, _ ear: MicrophoneEar, to line: SpeechLine) async {
    while self.line === line, isGiving, !link.isOver, !Task.isCancelled {
      var sound: [UInt8] = []
      while let (pcm, _) = ear.take(from: link.microphone) { sound += pcm }
      line.append(sound: sound)
      try? await Task.sleep(for: Self.look)
    }
    line.stop()
  }

  /// Waits for a wake word; empty: the service does not say which.
  private func news(of line: SpeechLine) async -> (word: String?, fault: SpeechFault?) {
    while let news = await line.next() {
      for item in news {
        switch item {
        case .woke(let word):
          if self.line === line { self.line = nil }
          return (word ?? "", nil)
        case .failed(let fault):
          if self.line === line { self.line = nil }
          return (nil, fault)
        default: break
        }
      }
    }
    if self.line === line { self.line = nil }
    return (nil, .gone)
  }

  private func note(_ fault: SpeechFault?) {
    guard let fault else {
      (pace, isToldOf) = (RetryPace(), nil)
      return
    }
    // By this node itself.
    guard fault != .stopped else { return }
    pace.noteFailure(atNanoseconds: EventLoop.nowNanoseconds())
    guard isToldOf != fault else { return }
    isToldOf = fault
    log.event(.assistantFailed, "no wake word is heard: \(fault)", ["service": "\(address)"])
  }
}
