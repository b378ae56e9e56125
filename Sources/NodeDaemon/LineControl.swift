internal import Intercom
internal import Lines
internal import Remote
internal import StatusSchema
internal import Store

/// Carries out the requests about lines and keys.
struct LineControl {
  let lines: LineService

  func handle(_ request: LineRequest) async -> ControlResponse {
    do throws(LineError) {
      switch request {
      case .list: return .lines(await lines.statuses.lines)
      case .new(let line):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.makeLine(name) }
      case .join(let line):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.joinLine(name) }
      case .leave(let line):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.leaveLine(name) }
      case .listen(let line, let isOn):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in
          try desk.setListening(isOn, to: name)
        }
      case .level(let line, let decibels):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in
          try desk.setLevel(decibels, of: name)
        }
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  func handle(_ request: KeyRequest) async -> ControlResponse {
    do throws(LineError) {
      switch request {
      case .list: return .keys(await lines.statuses.keys)
      case .set(let setting):
        let key = try Key(setting)
        try await lines.change { desk, _ throws(LineError) in try desk.setKey(key) }
      case .remove(let key):
        let name = try KeyName(key)
        try await lines.change { desk, _ throws(LineError) in try desk.removeKey(name) }
      case .press(let key, let holder):
        let (name, holder) = (try KeyName(key), try Self.holder(holder))
        try await lines.change { desk, now throws(LineError) in
          try desk.press(name, by: holder, nowNanoseconds: now)
        }
      case .release(let key, let holder):
        let (name, holder) = (try KeyName(key), try Self.holder(holder))
        try await lines.change { desk, now throws(LineError) in
          try desk.release(name, by: holder, nowNanoseconds: now)
        }
      case .tap(let key):
        let name = try KeyName(key)
        try await lines.change { desk, now throws(LineError) in
          try desk.press(name, nowNanoseconds: now)
          try desk.release(name, nowNanoseconds: now)
        }
      case .hold(let holder):
        let device = try Self.device(holder)
        try await lines.change { desk, now throws(LineError) in
          try desk.renew(device, nowNanoseconds: now)
        }
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  func setTalk(_ isOn: Bool) async throws(IntercomError) {
    do throws(LineError) {
      try await lines.change { desk, _ throws(LineError) in try desk.setTalk(isOn) }
    } catch {
      throw .refused("\(error)")
    }
  }

  private static func holder(_ text: String?) throws(LineError) -> KeyHolder {
    guard let text else { return .command }
    return .device(try device(text))
  }

  private static func device(_ text: String) throws(LineError) -> Label {
    guard let label = try? Label(text) else { throw .badHolder }
    return label
  }
}

extension Key {
  /// A key as a remote or a file sets it.
  init(_ setting: KeySetting) throws(LineError) {
    var lines: [LineName] = []
    for line in setting.lines { lines.append(try LineName(line)) }
    let activation = setting.activation ?? KeyActivation.talkForceListen.rawValue
    guard let activation = KeyActivation(rawValue: activation) else {
      throw .badActivation(activation)
    }
    try self.init(
      try KeyName(setting.name), lines: lines, activation: activation,
      latchMilliseconds: setting.latchMilliseconds ?? Key.usualLatchMilliseconds,
      interlock: setting.interlock)
    listensWhileTalking = setting.autoListen ?? false
    mutesWhileTalking = setting.autoMute ?? false
    isolates = setting.isolate ?? false
  }
}

/// Keeps lines and keys.
typealias LineKeeper = Keeper<LineSettings, KeptLines>

extension LineKeeper {
  /// A keeper of what became of the lines and keys of the former run.
  init(
    _ kept: KeptLines, problems: KeepingProblems, pace: Pace = Pace(),
    write: @escaping @Sendable (KeptLines) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: .lines, problems: problems, pace: pace,
      as: { KeptLines(octets: $0 == LineSettings() ? [] : $0.octets) }, write: write)
  }
}

extension LineSettings {
  /// The lines and keys that were kept; none where they make no sense.
  init(kept: KeptLines) { self = LineSettings(kept.octets) ?? LineSettings() }
}
