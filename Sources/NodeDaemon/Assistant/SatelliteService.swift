internal import Audio
internal import EventLoop
internal import Intercom
internal import Logging
internal import Remote
internal import Speech
internal import SpeechLink

/// The station as a voice satellite of somebody else's assistant: its microphone goes there, whatever the talk key, and
/// what that says is in the station's ear alone.
///
/// On Swift's ordinary pool. Microphone and ear are taken with the first order that needs them, and given back with the
/// connection.
actor SatelliteService {
  /// The microphone is looked at so often.
  private static let look = Duration.milliseconds(30)
  private static let roomLook = Duration.milliseconds(20)

  private let settings: SpeechSettings
  private let door: any EarDoor
  private let log: Logger
  private var server: SatelliteServer?
  /// The newest client's turn.
  private var last: Task<Void, Never>?
  private var refusals = TellingInterval<String>(seconds: 60)

  init(_ settings: SpeechSettings, door: any EarDoor, log: Logger) {
    (self.settings, self.door, self.log) = (settings, door, log)
  }

  /// Listens, where it is wanted; one that cannot be is logged.
  func start(named name: String) async {
    guard let place = settings.satellite else { return }
    do {
      server = try await SatelliteServer(
        host: place.host, port: Int(place.port), allowing: settings.satelliteAllow, name: name,
        version: Version.current,
        refused: { [weak self] address in Task { await self?.refuse(address) } },
        serve: { [weak self] line in Task { await self?.serve(line) } })
    } catch {
      log.event(.satelliteFailed, "--speech-satellite \(place.text): \(error)")
    }
  }

  /// The port it listens on; nil: it does not.
  var port: Int? { server?.port }

  /// Ends it.
  func finish() async { await server?.stop() }

  private func refuse(_ address: String) {
    guard refusals.tells(address, nowNanoseconds: EventLoop.nowNanoseconds()) else { return }
    log.event(
      .satelliteRefused, "a machine that is not in satellite-allow wants microphone and ear",
      ["address": "\(address)"])
  }

  /// The former client's microphone and ear are given back before the next one takes them.
  private func serve(_ line: SatelliteLine) async {
    let (before, log, door) = (last, log, door)
    let turn = Task {
      await before?.value
      log.event(
        .satellite, "a satellite's client is connected to microphone and ear",
        ["address": "\(line.address)"])
      await SatelliteRun(line, door: door, log: log).run()
      log.event(.satelliteLeft, "it is gone", ["address": "\(line.address)"])
    }
    last = turn
    await turn.value
  }

  /// One client, from its first order to its end.
  private actor SatelliteRun {
    private let line: SatelliteLine
    private let door: any EarDoor
    private let log: Logger
    private var link: EarLink?
    private var ear: MicrophoneEar?
    private var mouth: SpeechMouth?
    private var isListening = false
    private var pumping: Task<Void, Never>?
    private var ending: Task<Void, Never>?

    init(_ line: SatelliteLine, door: any EarDoor, log: Logger) {
      (self.line, self.door, self.log) = (line, door, log)
    }

    func run() async {
      while let orders = await line.next() {
        for order in orders { await follow(order) }
      }
      pumping?.cancel()
      ending?.cancel()
      if let link { await door.closeEar(link) }
    }

    private func follow(_ order: SatelliteOrder) async {
      switch order {
      case .listen: if await open() { isListening = true }
      case .pause: isListening = false
      case .soundBegins(let format):
        guard await open(), let link else { return }
        mouth = SpeechMouth(
          rate: format.rate, channels: format.channels, sampleRate: link.sampleRate)
      case .sound(let octets): await play(mouth?.frames(of: octets) ?? [])
      case .soundEnds: soundEnds()
      }
    }

    /// Takes microphone and ear; false: they cannot be had, and the client is let go of.
    private func open() async -> Bool {
      if let link, !link.isOver { return true }
      if let link { await door.closeEar(link) }
      link = nil
      do throws(IntercomError) {
        let link = try await door.openEar()
        guard let ear = MicrophoneEar(sampleRate: link.sampleRate) else {
          await door.closeEar(link)
          line.stop()
          return false
        }
        (self.link, self.ear) = (link, ear)
        pump()
        return true
      } catch {
        log.event(.satelliteFailed, "\(error)", ["address": "\(line.address)"])
        line.stop()
        return false
      }
    }

    private func pump() {
      pumping?.cancel()
      pumping = Task { [weak self] in
        while !Task.isCancelled, await self?.give() == true {
          try? await Task.sleep(for: SatelliteService.look)
        }
      }
    }

    /// Hands on what the microphone has; false: nothing comes any more.
    private func give() -> Bool {
      guard let link, let ear, !link.isOver else { return false }
      var sound: [UInt8] = []
      while let (pcm, _) = ear.take(from: link.microphone) { sound += pcm }
      if isListening { line.append(sound: sound) }
      return true
    }

    private func play(_ frames: [Float]) async {
      guard let link else { return }
      var done = 0
      while done < frames.count, !link.isOver {
        let count = min(frames.count - done, link.ear.roomFrames)
        link.ear.write(frames.span.extracting(done..<(done + count)))
        done += count
        if done < frames.count { try? await Task.sleep(for: SatelliteService.roomLook) }
      }
    }

    /// Tells once all of it has been heard.
    private func soundEnds() {
      mouth = nil
      guard let link else { return line.played() }
      let (end, line) = (link.ear.writtenFrames, line)
      ending?.cancel()
      ending = Task {
        while link.ear.soundedFrames < end, !link.isOver, !Task.isCancelled {
          try? await Task.sleep(for: SatelliteService.roomLook)
        }
        if !Task.isCancelled { line.played() }
      }
    }
  }
}
