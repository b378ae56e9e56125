internal import Assistant
internal import Audio
internal import Intercom
internal import Speech
internal import SpeechLink

/// Where the station's user is heard and speaks; a test has its own.
protocol EarDoor: Sendable {
  /// Opens microphone and ear.
  func openEar() async throws(IntercomError) -> EarLink
  /// Closes them.
  func closeEar(_ link: EarLink) async
  /// What a link that ended by itself means, in words; nil: somebody left, and nothing is wrong.
  var lossWords: String? { get }
}

extension EarDoor {
  var lossWords: String? { "JACK runs at another rate now; call again" }
}

extension Intercom: EarDoor {}

/// Where a guest is heard and hears: its browser, whatever its keys.
struct GuestEar: EarDoor {
  let seat: GuestSeat

  /// The phone has gone, or called anew.
  var lossWords: String? { nil }

  func openEar() async throws(IntercomError) -> EarLink { try seat.openEar() }

  func closeEar(_ link: EarLink) async { seat.closeEar(link) }
}

/// The ears of guests.
protocol GuestEars: Sendable {
  /// That of one page of a session, and the guest's number at this node; nil: that page does not talk.
  func ear(of session: String, page: String) async -> (number: Int, door: any EarDoor)?
}

/// The services that turn sound into text and back.
struct SpeechServices: Sendable {
  let link: SpeechLink
  /// Recognises.
  let recogniser: ServiceAddress
  /// Speaks.
  let speaker: ServiceAddress
}

extension SpeechServices {
  /// Those of the settings, nil where not both are set.
  init?(_ settings: SpeechSettings) {
    guard let recogniser = settings.asr, let speaker = settings.tts else { return nil }
    self.init(
      link: SpeechLink(allowing: settings.allow, language: settings.language),
      recogniser: recogniser, speaker: speaker)
  }
}

/// The sound of a call at the station itself, or at a guest's phone: its microphone to a recogniser, and a speaker's
/// voice to its ear alone, or to a line.
///
/// On Swift's ordinary pool. The microphone is looked at each 10 ms; sound is spoken ahead by what the ear's queue
/// takes, and cut off within a period of the loop and what waits there.
actor StationVoice: CallVoice {
  private static let look = Duration.milliseconds(10)
  private static let roomLook = Duration.milliseconds(20)

  /// A line that the assistant is on while a call goes on.
  struct OnLine: Sendable {
    let stage: any LineStage
    let line: String
    /// What the assistant is called there.
    let name: String
    /// What it is shown in.
    let colourRGB: UInt32?
  }

  private let door: any EarDoor
  private let services: SpeechServices
  /// Where it is heard; nil: in the own ear alone.
  private let place: OnLine?
  private var mouth: LineMouth?
  private var tell: @Sendable (CallVoiceNews) async -> Void = { _ in }
  private var link: EarLink?
  private var ear: MicrophoneEar?
  private var looking: Task<Void, Never>?
  /// What is being said.
  private var utterance: SpeechLine?
  /// What is to be spoken still, in this order.
  private var sentences: [(number: Int, text: String)] = []
  private var speaking: Task<Void, Never>?
  /// What is spoken, by where it ends in the ear's queue.
  private var spoken: [(number: Int, end: Int)] = []
  /// Grows each time somebody takes the floor: what was being spoken before is not wanted.
  private var floor = 0
  private var hasEnded = false

  init(_ door: any EarDoor, _ services: SpeechServices, on place: OnLine? = nil) {
    (self.door, self.services, self.place) = (door, services, place)
  }

  /// Where what is spoken goes, and its rate; nil: nowhere.
  private var outlet: (queue: SoundQueue, sampleRate: Int)? {
    guard let link else { return nil }
    guard place != nil else { return (link.ear, link.sampleRate) }
    return mouth.map { ($0.queue, LineMouth.sampleRate) }
  }

  func begin(_ tell: @escaping @Sendable (CallVoiceNews) async -> Void) async {
    self.tell = tell
    for (address, what) in [
      (services.recogniser, "the recogniser"), (services.speaker, "the speaker"),
    ] {
      if let problem = await problem(of: address) {
        return await tell(.failed("\(what) at \(address): \(problem)"))
      }
    }
    do throws(IntercomError) {
      let link = try await door.openEar()
      // Hung up meanwhile.
      guard !hasEnded else { return await door.closeEar(link) }
      self.link = link
      ear = MicrophoneEar(sampleRate: link.sampleRate)
    } catch {
      return await tell(.failed("\(error)"))
    }
    guard ear != nil else {
      await end()
      return await tell(.failed("JACK's sample rate is too odd for speech; use 48000"))
    }
    if let problem = await enter() {
      await end()
      return await tell(.failed(problem))
    }
    looking = Task { [weak self] in
      while !Task.isCancelled, await self?.lookAround() == true {
        try? await Task.sleep(for: Self.look)
      }
    }
    await tell(.ready)
  }

  /// Goes on the line, if it is to be heard on one.
  ///
  /// - Returns: why it cannot; nil: it is there.
  private func enter() async -> String? {
    guard let place else { return nil }
    do {
      let mouth = try LineMouth(
        await place.stage.enter(place.line, as: place.name, in: place.colourRGB))
      guard !hasEnded else {
        await mouth.end()
        return nil
      }
      await mouth.begin()
      self.mouth = mouth
      return nil
    } catch let refusal as LineStageRefusal {
      return refusal.words
    } catch {
      return "\(error)"
    }
  }

  /// Why a service cannot be used; nil: it answers.
  private func problem(of address: ServiceAddress) async -> String? {
    do throws(SpeechLinkError) {
      let line = try services.link.call(.describe, at: address)
      while let news = await line.next() {
        for case .failed(let fault) in news { return "\(fault)" }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  func end() async {
    hasEnded = true
    looking?.cancel()
    silence()
    utterance?.stop()
    utterance = nil
    let mouth = mouth
    self.mouth = nil
    await mouth?.end()
    if let link { await door.closeEar(link) }
    link = nil
  }

  func carryOut(_ action: AssistantCall.Action) async {
    switch action {
    case .listen: listen()
    case .recognise(let number): recognise(number)
    case .forget:
      utterance?.stop()
      utterance = nil
    case .speak(let number, let text): speak(number, text)
    // Nobody looks at a screen.
    case .trouble(let words): speak(0, words)
    case .silence: silence()
    default: break
    }
  }

  // MARK: The microphone

  /// Looks at what came in and went out; false: it is over.
  private func lookAround() async -> Bool {
    guard let link, let ear else { return false }
    guard !link.isOver else {
      await tell(door.lossWords.map { .failed($0) } ?? .gone)
      return false
    }
    while let (pcm, voice) = ear.take(from: link.microphone) {
      utterance?.append(sound: pcm)
      guard let voice else { continue }
      // What still waits came after it: a machine that looks late lets nobody wait longer for the floor.
      let waiting = Int64(link.microphone.availableFrames) * 1_000_000_000
      await tell(.voice(voice, agoNanoseconds: waiting / Int64(link.sampleRate)))
    }
    while let first = spoken.first, let outlet, outlet.queue.soundedFrames >= first.end {
      spoken.removeFirst()
      await tell(.spoke(first.number))
    }
    return true
  }

  private func listen() {
    utterance?.stop()
    utterance = try? services.link.call(.recognise(language: nil), at: services.recogniser)
    if let ear { utterance?.append(sound: ear.preroll) }
  }

  private func recognise(_ number: Int) {
    guard let line = utterance else {
      let tell = tell
      Task { await tell(.notHeard(number, "\(SpeechFault.unreachable)")) }
      return
    }
    utterance = nil
    line.finishSound()
    let tell = tell
    Task {
      var text: String?
      while let news = await line.next() {
        for item in news {
          if case .text(let words, _, _) = item { text = words }
          if case .failed(let fault) = item, text == nil {
            return await tell(.notHeard(number, "\(fault)"))
          }
        }
      }
      await tell(.heard(number, text ?? ""))
    }
  }

  // MARK: The ear

  private func speak(_ number: Int, _ text: String) {
    sentences.append((number, text))
    guard speaking == nil else { return }
    let floor = floor
    speaking = Task { await speakAll(floor) }
  }

  private func speakAll(_ floor: Int) async {
    while floor == self.floor, !sentences.isEmpty {
      let (number, text) = sentences.removeFirst()
      let problem = await speak(text, floor)
      guard floor == self.floor else { return }
      if let problem {
        await tell(.notSpoken(number, problem))
      } else {
        spoken.append((number, outlet?.queue.writtenFrames ?? 0))
      }
    }
    if floor == self.floor { speaking = nil }
  }

  /// - Returns: why it cannot be spoken; nil: all of it is in the ear's queue, or not wanted.
  private func speak(_ text: String, _ floor: Int) async -> String? {
    do throws(SpeechLinkError) {
      let line = try services.link.call(.speak(text: text, voice: nil), at: services.speaker)
      var mouth: SpeechMouth?
      while let news = await line.next() {
        for item in news {
          guard floor == self.floor, let outlet else {
            line.stop()
            return nil
          }
          switch item {
          case .soundBegins(let format):
            mouth = SpeechMouth(
              rate: format.rate, channels: format.channels, sampleRate: outlet.sampleRate)
          case .sound(let octets): await play(mouth?.frames(of: octets) ?? [], outlet.queue, floor)
          case .failed(let fault): return "\(fault)"
          default: break
          }
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  private func play(_ frames: [Float], _ queue: SoundQueue, _ floor: Int) async {
    var done = 0
    while done < frames.count, floor == self.floor, link?.isOver == false {
      let count = min(frames.count - done, queue.roomFrames)
      queue.write(frames.span.extracting(done..<(done + count)))
      done += count
      if done < frames.count { try? await Task.sleep(for: Self.roomLook) }
    }
  }

  private func silence() {
    floor += 1
    speaking?.cancel()
    (speaking, sentences, spoken) = (nil, [], [])
    outlet?.queue.cutOff()
  }
}
