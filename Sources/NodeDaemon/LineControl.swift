internal import Cryptography
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
      case .new(let line, isPrivate: false):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.makeLine(name) }
      case .new(let line, isPrivate: true):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in
          var random = SystemRandomNumberGenerator()
          try desk.makePrivateLine(name, PrivateLineID(using: &random))
        }
      case .join(let line, let isPrivate):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in
          try desk.join(name, isPrivate: isPrivate)
        }
      case .again(let line, let seconds):
        let name = try line.map { text throws(LineError) in try LineName(text) }
        return .done(note: try await lines.again.play(name, seconds: seconds))
      case .add(let line, let peer): try await setMember(peer, isOn: true, of: line)
      case .remove(let line, let peer): try await setMember(peer, isOn: false, of: line)
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
      case .pan(let line, let position):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.setPan(position, of: name) }
      case .port(let line, let isOn):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.setPort(isOn, of: name) }
      case .priority(let line, let priority):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in
          try desk.setPriority(priority, of: name)
        }
      case .display(let line, let text):
        let name = try LineName(line)
        try await lines.change { desk, _ throws(LineError) in try desk.setDisplay(text, of: name) }
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func setMember(
    _ peer: String, isOn: Bool, of line: String
  ) async throws(LineError) {
    let name = try LineName(line)
    let node = try await node(named: peer)
    try await lines.change { desk, _ throws(LineError) in
      try desk.setMember(node, isOn: isOn, ofPrivateLine: name)
    }
  }

  func handle(_ request: KeyRequest) async -> ControlResponse {
    do throws(LineError) {
      switch request {
      case .list: return .keys(await lines.statuses.keys)
      case .set(let setting):
        let key = try await key(setting)
        try await lines.change { desk, _ throws(LineError) in try desk.setKey(key) }
      case .preset(let word, let lines): return .done(note: try await setPreset(word, for: lines))
      case .remove(let key):
        let name = try KeyName(key)
        try await lines.change { desk, _ throws(LineError) in try desk.removeKey(name) }
      case .press(let key, let holder):
        let (name, holder) = (try KeyName(key), try Self.holder(holder))
        try await lines.change { desk, now throws(LineError) in
          try desk.press(name, by: holder, nowNanoseconds: now)
        }
      case .release(let key, let holder, let isTap):
        let (name, holder) = (try KeyName(key), try Self.holder(holder))
        try await lines.change { desk, now throws(LineError) in
          try desk.release(name, by: holder, isTap: isTap, nowNanoseconds: now)
        }
      case .tap(let key):
        let name = try KeyName(key)
        try await lines.change { desk, now throws(LineError) in
          try desk.tap(name, nowNanoseconds: now)
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

  /// Sets the keys of a device; tells which is for which line.
  private func setPreset(
    _ word: String, for texts: [String]
  ) async throws(LineError) -> String {
    guard let preset = KeyPreset(rawValue: word) else { throw .badPreset(word) }
    var names: [LineName] = []
    for text in texts { names.append(try LineName(text)) }
    let chosen = names
    try await lines.change { desk, _ throws(LineError) in
      _ = try desk.set(preset, for: chosen)
    }
    return await lines.statuses.keys
      .filter { key in preset.names.contains { $0.text == key.name } }
      .map { "\($0.name): \($0.lines.joined(separator: ", "))" }.joined(separator: "\n")
  }

  /// Changes settings of the ear.
  func setEar(_ changes: [String: String]) async -> ControlResponse {
    do throws(LineError) {
      try await lines.change { desk, _ throws(LineError) in try desk.setEar(changes) }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  func handle(_ request: CallRequest) async -> ControlResponse {
    do throws(LineError) {
      switch request {
      case .list: return .calls(await lines.statuses.calls)
      case .call(let peer, let line, let holder):
        let target = try await target(peer, line)
        let device = try holder.map { text throws(LineError) in try Self.device(text) }
        try await lines.change { desk, now throws(LineError) in
          try desk.call(target, holder: device, nowNanoseconds: now)
        }
      case .end(let peer, let line):
        let target = try await target(peer, line)
        try await lines.change { desk, _ throws(LineError) in desk.endCall(target) }
      case .clear(let peer, let isAll):
        var node: NodeID?
        if let peer { node = try await self.node(named: peer) }
        let meant = node.map { Set([$0]) }
        try await lines.change { desk, now throws(LineError) in
          let all = isAll ? Set(desk.calls.incoming.map(\.origin.node)) : nil
          desk.clearCalls(of: meant ?? all, nowNanoseconds: now)
        }
      case .reply(let clears):
        try await lines.change { desk, now throws(LineError) in
          guard !clears else { return try desk.replyThenClear(nowNanoseconds: now) }
          try desk.tap(desk.replyKeyName, nowNanoseconds: now)
        }
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
    }
  }

  private func target(_ peer: String?, _ line: String?) async throws(LineError) -> CallTarget {
    if let line { return .line(try LineName(line)) }
    return .member(try await node(named: peer ?? ""))
  }

  private func node(named text: String) async throws(LineError) -> NodeID {
    let name = try MemberName(text)
    await lines.followNames()
    return try await lines.change { desk, _ throws(LineError) in try desk.member(name) }
  }

  /// A key whose members are those who are called so now, and nobody who comes to be called so later.
  private func key(_ setting: KeySetting) async throws(LineError) -> Key {
    var key = try Key(setting)
    for (index, target) in key.targets.enumerated() {
      guard case .member(let member) = target else { continue }
      key.targets[index] = .member(MemberName(try await node(named: member.text)))
    }
    return key
  }

  func setTalk(_ isOn: Bool) async throws(IntercomError) {
    do throws(LineError) {
      try await lines.change { desk, _ throws(LineError) in try desk.setTalk(isOn) }
    } catch {
      throw .refused("\(error)")
    }
  }

  /// Who may set what here, and what is asked of others.
  func handle(
    _ request: OperatorRequest, by operators: OperatorDesk
  ) async -> ControlResponse {
    do throws(LineError) {
      switch request {
      case .allow(let peer, let words):
        let rights = try OperatorRights(words: words)
        let node = try await node(named: peer)
        try await lines.change { desk, _ throws(LineError) in try desk.setOperator(node, rights) }
      case .deny(let peer):
        let node = try await node(named: peer)
        try await lines.change { desk, _ throws(LineError) in try desk.setOperator(node, nil) }
      case .kill:
        let keys = try await lines.change { desk, _ throws(LineError) in desk.releaseLatches() }
        return .done(note: keys.words)
      case .at(let peer, let request):
        return await operators.ask(request, of: try await node(named: peer), named: peer)
      }
      return .ok
    } catch {
      return .error(message: "\(error)")
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
    var targets: [KeyTarget] = []
    for line in setting.lines { targets.append(.line(try LineName(line))) }
    for target in setting.targets ?? [] { targets.append(try KeyTarget(target)) }
    let activation = try setting.activation.map { word throws(LineError) in
      guard let activation = KeyActivation(rawValue: word) else { throw .badActivation(word) }
      return activation
    }
    try self.init(
      try KeyName(setting.name), targets: targets, activation: activation,
      latchMilliseconds: setting.latchMilliseconds, interlock: setting.interlock)
    listensWhileTalking = setting.autoListen ?? false
    mutesWhileTalking = setting.autoMute ?? false
    isolates = setting.isolate ?? false
    midi = try setting.midi.map { text throws(LineError) in try MIDIControl(text) }
    switch setting.voice {
    case nil, "on": break
    case "off": sendsUntreated = true
    case let word?: throw .badKeyVoice(word)
    }
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
