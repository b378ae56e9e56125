internal import Cryptography
internal import EventLoop
internal import Habits
internal import Intercom
internal import Logging
internal import Mesh
internal import Messages
internal import Speech
internal import SpeechLink
internal import StatusSchema

/// Which texts of others are spoken here.
enum AloudChoice: String, Hashable, Sendable, CaseIterable {
  /// Those whose senders want it.
  case asked
  /// All: for a station without a screen.
  case all
  /// None.
  case off

  /// The choices as a user writes them.
  static let words = allCases.map(\.rawValue).joined(separator: "|")
  /// What the setting does, in a line.
  static let summary =
    "Which texts of others are spoken in the ear here, by speech-tts: those sent so, all, or none."
}

/// Where texts are heard; a test has its own.
protocol AloudDoor: Sendable {
  /// Makes what a text is played from.
  func makeEarFeed() async throws(IntercomError) -> EarFeed
  /// Plays it.
  func speak(_ feed: EarFeed) async throws(IntercomError)
  /// Plays it no more.
  func silence(_ feed: EarFeed) async
}

extension Intercom: AloudDoor {}

/// Speaks texts of others at this node's ear, one after the other, by a speech service.
///
/// On Swift's ordinary pool; nothing waits for it. What cannot be spoken is a text like any other: the log says once
/// why, the status until one was spoken.
actor AloudDesk {
  /// What a service offers is asked for anew so much later.
  private static let offerSeconds: Int64 = 600

  private struct Arrival: Sendable {
    let text: String
    let sender: NodeID
    let name: String
    let ageSeconds: UInt32
  }

  private let choice: AloudChoice
  private let speaker: ServiceAddress?
  private let hosts: [String]
  private let door: any AloudDoor
  private let log: Logger
  private let clock: @Sendable () -> Int64
  private let arrivals: AsyncStream<Arrival>
  private let inlet: AsyncStream<Arrival>.Continuation
  private var changed: @Sendable () -> Void = {}
  private var queue = AloudQueue()
  private var names: [NodeID: String] = [:]
  private var link: SpeechLink?
  private var voices: (names: [String], nanoseconds: Int64)?
  private var speaking: Task<Void, Never>?
  private var current: NodeID?
  private var (spoken, problem) = (0, String?.none)
  private var told = TellingInterval<AloudQueue.Fault>(seconds: 60)
  private var hasEnded = false

  /// - Parameters:
  ///   - people: who is at this node: to those who are deaf nothing is spoken.
  ///   - clock: what waiting is measured by, nanoseconds.
  init(
    _ choice: AloudChoice, for people: People?, _ services: SpeechSettings, door: any AloudDoor,
    log: Logger, clock: @escaping @Sendable () -> Int64 = EventLoop.nowNanoseconds
  ) {
    self.choice = people == .deaf ? .off : choice
    (speaker, hosts, self.door, self.log) = (services.tts, services.allow, door, log)
    self.clock = clock
    (arrivals, inlet) = AsyncStream.makeStream()
  }

  /// Begins.
  ///
  /// - Parameter changed: called when something changed that people see; must not block.
  func start(changed: @escaping @Sendable () -> Void) {
    self.changed = changed
    let arrivals = arrivals
    Task { [weak self] in
      for await arrival in arrivals { await self?.queue(arrival) }
    }
  }

  /// A text has come.
  ///
  /// Any thread.
  nonisolated func take(
    _ text: String, by sender: NodeID, named name: String, isAsked: Bool, ageSeconds: UInt32
  ) {
    guard choice == .all || choice == .asked && isAsked else { return }
    inlet.yield(Arrival(text: text, sender: sender, name: name, ageSeconds: ageSeconds))
  }

  /// Is silent for good.
  func finish() {
    hasEnded = true
    inlet.finish()
    link?.stop()
  }

  /// The part of a status; nil: nothing is to be spoken here.
  var status: AloudStatus? {
    guard choice != .off else { return nil }
    var status = AloudStatus()
    status.sender = current.map(name)
    (status.waiting, status.spoken, status.problem) = (queue.count, spoken, problem)
    for (fault, count) in queue.faults { status.dropped[fault.rawValue] = count }
    return status
  }

  private func name(of node: NodeID) -> String { names[node] ?? node.text }

  // MARK: The queue

  private func queue(_ arrival: Arrival) {
    guard !hasEnded else { return }
    guard speaker != nil else {
      return fail("no service speaks here: set tts in the table [speech]", arrival.name)
    }
    names[arrival.sender] = arrival.name
    do throws(AloudQueue.Fault) {
      try queue.add(
        arrival.text, by: arrival.sender, ageSeconds: arrival.ageSeconds, nowNanoseconds: clock())
    } catch {
      note(error, arrival.name)
    }
    changed()
    guard speaking == nil else { return }
    speaking = Task { [weak self] in await self?.speakAll() }
  }

  private func speakAll() async {
    while !hasEnded, let text = next() {
      current = text.sender
      changed()
      if let problem = await speak(text) {
        fail(problem, name(of: text.sender))
      } else if !hasEnded {
        (spoken, problem) = (spoken + 1, nil)
        log.event(.messageAloud, "spoke a text", ["from": "\(name(of: text.sender))"])
      }
    }
    (speaking, current, names) = (nil, nil, [:])
    changed()
  }

  private func next() -> AloudQueue.Text? {
    var late: [NodeID] = []
    let text = queue.next(nowNanoseconds: clock()) { late.append($0.sender) }
    for sender in late { note(.late, name(of: sender)) }
    return text
  }

  private func note(_ fault: AloudQueue.Fault, _ sender: String) {
    note(fault.words, sender, isNew: told.tells(fault, nowNanoseconds: clock()))
  }

  private func fail(_ words: String, _ sender: String) {
    note(words, sender, isNew: problem != words)
    problem = words
    changed()
  }

  private func note(_ words: String, _ sender: String, isNew: Bool) {
    log.event(
      .messageNotAloud, at: isNew ? .warning : .debug, "a text is not spoken: \(words)",
      ["from": "\(sender)"])
  }

  // MARK: Speaking

  /// - Returns: why it cannot be spoken; nil: it was heard.
  private func speak(_ text: AloudQueue.Text) async -> String? {
    guard let speaker else { return nil }
    let link = link ?? SpeechLink(allowing: hosts)
    self.link = link
    do throws(SpeechLinkError) {
      let voices = try await voices(of: speaker, link)
      let voice = AloudVoice.of(text.sender, among: voices)
      // Where all sound alike, the ear is told who it is.
      let words = voice == nil ? "\(name(of: text.sender)): \(text.words)" : text.words
      let line = try link.call(.speak(text: words, voice: voice), at: speaker)
      let mouth = AloudMouth(door)
      let problem = await hear(line, mouth)
      line.stop()
      return problem.map { "\(speaker): \($0)" }
    } catch {
      return "\(error)"
    }
  }

  private func hear(_ line: SpeechLine, _ mouth: AloudMouth) async -> String? {
    var problem: String?
    listening: while problem == nil, !hasEnded, let news = await line.next() {
      for item in news {
        switch item {
        case .soundBegins(let format): problem = await mouth.open(format)
        case .sound(let octets): await mouth.play(octets)
        case .failed(let fault): problem = "\(fault)"
        default: break
        }
        let isFull = await mouth.isFull
        if problem != nil || hasEnded || isFull { break listening }
      }
    }
    await mouth.finish(isCutOff: hasEnded)
    if let problem { return problem }
    return hasEnded ? nil : await mouth.complaint
  }

  /// The names of voices to choose from; none: there is no choice.
  private func voices(
    of speaker: ServiceAddress, _ link: SpeechLink
  ) async throws(SpeechLinkError) -> [String] {
    let now = EventLoop.nowNanoseconds()
    if let voices, now - voices.nanoseconds < Self.offerSeconds * 1_000_000_000 {
      return voices.names
    }
    let line = try link.call(.describe, at: speaker)
    while let news = await line.next() {
      for case .offer(let offer) in news {
        let names = AloudVoice.names(of: offer)
        voices = (names, now)
        return names
      }
    }
    // Whatever is wrong is told by the request that follows.
    return []
  }
}

/// Which voice is whose.
enum AloudVoice {
  /// Voices of a service that differ in nothing but the person, in an order that does not depend on the service's.
  ///
  /// Where it has several languages, nobody knows which one the text is in: it chooses itself.
  static func names(of offer: SpeechOffer) -> [String] {
    let languages = Set(
      offer.voices.flatMap { $0.languages.isEmpty ? [""] : $0.languages }.map { language in
        String(language.prefix { $0 != "-" && $0 != "_" }).lowercased()
      })
    guard languages.count == 1 else { return [] }
    return Set(offer.voices.map(\.name)).sorted()
  }

  /// The voice of somebody, the same at all nodes with such a service and for good; nil: there is no choice.
  static func of(_ sender: NodeID, among names: [String]) -> String? {
    guard names.count > 1 else { return nil }
    let number = sender.octets.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return names[Int(number % UInt64(names.count))]
  }
}
