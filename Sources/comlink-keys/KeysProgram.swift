internal import Glibc
internal import KeyDevices
internal import Keys
internal import System

/// Buttons, lamps and relays beside a station, in one thread that waits for all of them at once.
struct KeysProgram: ~Copyable {
  /// How often is looked for what is missing: the folder's watch tells of most of it at once.
  private static let scanInterval = Duration.seconds(2)
  /// How long the station has to answer the last releases.
  private static let patienceAtEnd = Duration.milliseconds(500)

  private let settings: PanelSettings
  private let log: KeysLog
  private var panel: KeyPanel
  private var devices: PanelDevices
  private var link: StationLink
  private var nextScan = Duration.zero
  /// What was refused of a key, so that it is told once.
  private var refused: [String: String] = [:]

  /// A panel beside the station whose control socket is at a path.
  init(
    _ settings: PanelSettings, control path: @escaping () -> String, places: DevicePlaces,
    log: KeysLog
  ) {
    self.settings = settings
    self.log = log
    panel = KeyPanel(settings)
    devices = PanelDevices(settings, places: places)
    link = StationLink(path: path)
  }

  /// Works until the descriptor is readable; then keys are released, lamps dark and relays open.
  mutating func run(until end: Int32) {
    while true {
      let time = now()
      if nextScan <= time {
        take(devices.scan())
        nextScan = time + Self.scanInterval
      }
      take(link.turn(at: time))
      act()
      let ready = wait(for: [end] + (link.number.map { [$0] } ?? []) + devices.descriptors)
      if ready.contains(end) { break }
      for descriptor in ready {
        if descriptor == link.number { take(link.read(at: now())) }
        take(devices.read(descriptor, now: now()))
      }
    }
    for action in panel.end(at: now()) { perform(action) }
    link.finish(by: now() + Self.patienceAtEnd)
    devices.close()
  }

  /// Does what is due, until nothing more is.
  private mutating func act() {
    // A turn after a look may bring another, and no more.
    for _ in 0..<4 {
      let actions = panel.turn(at: now())
      guard !actions.isEmpty else { return }
      for action in actions { perform(action) }
    }
  }

  /// Descriptors that can be read; none: it is time for something else.
  private func wait(for descriptors: [Int32]) -> [Int32] {
    var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var until = min(panel.deadline ?? .seconds(Int64.max / 4), link.deadline)
    if devices.isIncomplete { until = min(until, nextScan) }
    let milliseconds = ((until - now()) / .milliseconds(1)).rounded(.up)
    let limit = Int32(min(max(0, milliseconds), 60_000))
    guard unsafe poll(&polled, nfds_t(polled.count), limit) > 0 else { return [] }
    return polled.filter { $0.revents != 0 }.map(\.fd)
  }

  private mutating func perform(_ action: KeyPanel.Action) {
    switch action {
    case .press(let key): take(link.press(key, at: now()))
    case .release(let key): take(link.release(key, at: now()))
    case .light(let lamp, let light): take(devices.light(lamp: lamp, light))
    case .relay(let relay, let isClosed): take(devices.relay(relay, isClosed: isClosed))
    case .look(let button):
      panel.settle(button: button, isClosed: devices.isClosed(button: button), at: now())
    case .floods(let button):
      log.note(
        .contactFloods,
        "\(words(of: button)) is pressed more than \(Contact.mostPresses) times a second: "
          + "it does nothing until it is still for a second; look at its contact and cable")
    case .isCalm(let button): log.note(.contactCalm, "\(words(of: button)) is still again")
    }
  }

  private mutating func take(_ events: [DeviceEvent]) {
    for event in events {
      switch event {
      case .button(let button, let isClosed, let time):
        panel.button(button, isClosed: isClosed, at: time)
      case .lost(let button): panel.lose(button: button, at: now())
      case .found(let words): log.note(.deviceFound, "uses \(words)")
      case .gone(let words): log.note(.deviceGone, "\(words) is gone")
      case .refused(let words): log.note(.deviceRefused, words)
      }
    }
  }

  private mutating func take(_ events: [StationLink.Event]) {
    for event in events {
      switch event {
      case .there:
        refused = [:]
        panel.link(isUp: true, at: now())
        log.note(.stationThere, "the station answers")
      case .away(let words):
        panel.link(isUp: false, at: now())
        log.note(.stationAway, "the station does not answer, and is called again: \(words)")
      case .tally(let tally): panel.show(tally)
      case .refused(let key, let words):
        guard refused.updateValue(words, forKey: key) != words else { continue }
        log.note(.keyRefused, "key \(key): \(words)")
      }
    }
  }

  private func words(of button: Int) -> String {
    switch settings.buttons[button].contact {
    case .line(let line): line.words
    case .input(let input): "\(KeyCode.name(of: input.code)) of \(input.device)"
    }
  }
}
