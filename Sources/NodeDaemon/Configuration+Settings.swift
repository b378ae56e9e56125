internal import Audio
internal import EventLoop
internal import Mesh
internal import Remote
internal import StatusSchema
internal import Voice
internal import WebService

/// Settings by name: how each value is taken, checked and written again.
extension Configuration {
  /// Takes the value of a setting; throws words if it will not do.
  mutating func set(_ setting: Setting, to value: SettingValue) throws(SettingProblem) {
    switch (setting, value) {
    case (.name, .text(let text)): name = try Self.checkedName(text)
    case (.listen, .text(let text)): listen = try Self.place(text)
    case (.peer, .list(let texts)): peers = try Self.peers(texts)
    case (.maxPeers, .integer(let count)): maximumPeers = try Self.checked(count, within: 1...64)
    case (.role, .text(let text)): role = text.isEmpty ? "" : try Self.checkedName(text)
    case (.colour, .text(let text)): colourRGB = try Self.colour(text)
    case (.people, .text(let text)): people = text.isEmpty ? nil : try Self.choice(text)
    case (.policy, .text(let text)): policy = try Self.choice(text)
    case (.noDiscovery, .boolean(let isOn)): discovers = !isOn
    case (.profile, .text(let text)): profile = try Self.profileChoice(text)
    case (.ptime, .number(let milliseconds)): ptime = try Self.packetTime(milliseconds)
    case (.bitrate, .integer(let rate)): bitrateKilobits = try Self.checked(rate, within: 6...510)
    case (.bitrateMax, .text("auto")): bitrateMaximumKilobits = nil
    case (.bitrateMax, .number(let rate)):
      bitrateMaximumKilobits = Int(try Self.checked(rate, within: 6...2000).rounded())
    case (.application, .text(let text)): application = try Self.choice(text)
    case (.complexity, .integer(let complexity)):
      self.complexity = try Self.checked(complexity, within: OpusEncoder.complexityRange)
    case (.bandwidth, .text(let text)): bandwidth = try Self.choice(text)
    case (.playoutDelay, .text("auto")): playoutDelay = .auto
    case (.playoutDelay, .number(let milliseconds)):
      playoutDelay = .fixed(milliseconds: try Self.checked(milliseconds, within: 0...1000))
    case (.playoutDelayMax, .number(let milliseconds)):
      playoutDelayMaximumMilliseconds = try Self.checked(milliseconds, within: 10...1000)
    case (.lateRate, .number(let percent)):
      lateRatePercent = try Self.checked(percent, within: 0.01...20)
    case (.sidetone, .text("off")): sidetoneDecibels = nil
    case (.sidetone, .number(let decibels)):
      sidetoneDecibels = try Self.checked(decibels, within: NodeStatus.sidetoneRangeDecibels)
    case (.program, _), (.input, _), (.bus, _): try setPatch(setting, to: value)
    case (.jackServer, .text(let text)): jackServer = try Self.checkedName(text)
    case (.jackClient, .text(let text)): jackClient = try Self.clientName(text)
    case (.noConnect, .boolean(let isOn)): connectsPorts = !isOn
    case (.metrics, .text(let text)): metrics = text.isEmpty ? nil : try Self.place(text)
    case (.page, .text(let text)), (.pageTrust, .text(let text)),
      (.pageCertificate, .text(let text)), (.pageKey, .text(let text)):
      try setPage(setting, to: text)
    case (.viaPlugin, .boolean(let isOn)): isViaPlugin = isOn
    case (.pluginSocket, .text(let text)): pluginPath = try Self.socketPath(text)
    case (.control, .text(let text)): controlPath = try Self.socketPath(text)
    case (.state, .text(let text)):
      guard !text.utf8.contains(0) else { throw .badValue("must be a path") }
      statePath = text
    case (.messageDays, .integer(let number)), (.voiceMessageDays, .integer(let number)),
      (.messageHistory, .integer(let number)), (.messageKeep, .integer(let number)):
      try setMessages(setting, to: number)
    case (.messageAloud, .text(let text)): messageAloud = try Self.choice(text)
    case (.logLevel, .text(let text)):
      guard LogLevelName.level(text) != nil else {
        throw .badValue("must be one of \(LogLevelName.words), not \"\(text)\"")
      }
      logLevel = text
    case _ where setting.table != nil: try setInTable(setting, to: value)
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  /// Takes the value of a setting of a table.
  private mutating func setInTable(
    _ setting: Setting, to value: SettingValue
  ) throws(SettingProblem) {
    switch (setting.table, value) {
    case ("voice", .text(let text)): try setVoice(setting, to: text)
    case ("speech", _): try speech.set(setting, to: value)
    case ("captions", .boolean(let isOn)): offersCaptions = isOn
    case ("captions", .text(let text)): transcriptPath = try Self.transcriptPath(text)
    case ("assistant", _): try assistant.set(setting, to: value)
    case ("s3", _): try s3.set(setting, to: value)
    case ("upload", _): try mirror.set(setting, to: value)
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  private mutating func setMessages(
    _ setting: Setting, to number: Int
  ) throws(SettingProblem) {
    switch setting {
    case .messageDays: messageDays = try Self.checked(number, within: 0...3650)
    case .voiceMessageDays: voiceMessageDays = try Self.checked(number, within: 0...3650)
    case .messageHistory: messageHistoryMegabytes = try Self.checked(number, within: 1...10_000)
    default: messageKeepMegabytes = try Self.checked(number, within: 0...10_000)
    }
  }

  private static func clientName(_ text: String) throws(SettingProblem) -> String {
    guard !text.contains(":") else { throw .badValue("must not contain a colon") }
    return try checkedName(text)
  }

  private mutating func setPatch(
    _ setting: Setting, to value: SettingValue
  ) throws(SettingProblem) {
    switch (setting, value) {
    case (.program, .text(let text)): try patches.setProgram(text)
    case (.input, .list(let texts)): try patches.setInputs(texts)
    case (.bus, .list(let texts)): try patches.setBuses(texts)
    default: throw .wrongType(expected: SettingValue.words(for: setting))
    }
  }

  private mutating func setPage(_ setting: Setting, to text: String) throws(SettingProblem) {
    switch (setting, text) {
    case (.page, _): page.place = text.isEmpty ? nil : try Self.place(text)
    case (.pageTrust, "auto"): page.trust = .auto
    case (.pageTrust, "off"): page.trust = .off
    case (.pageTrust, _): page.trust = .place(try Self.place(text))
    case (.pageCertificate, _): page.certificate = try Self.filePath(text)
    default: page.key = try Self.filePath(text)
    }
  }

  /// The value of a setting, as ``set(_:to:)`` takes it.
  func value(of setting: Setting) -> SettingValue {
    switch setting {
    case .name: .text(name)
    case .listen: .text(listen.text)
    case .peer: .list(peers.map(\.text))
    case .maxPeers: .integer(maximumPeers)
    case .role: .text(role)
    case .colour: .text(colourRGB.map { Self.text(ofColour: $0) } ?? "")
    case .people: .text(people?.rawValue ?? "")
    case .policy: .text(policy.rawValue)
    case .noDiscovery: .boolean(!discovers)
    case .profile: .text(profile.text)
    case .ptime: .number(ptime.milliseconds)
    case .bitrate: .integer(bitrateKilobits)
    case .bitrateMax: bitrateMaximumKilobits.map { .number(Double($0)) } ?? .text("auto")
    case .application: .text(application.rawValue)
    case .complexity: .integer(complexity)
    case .bandwidth: .text(bandwidth.rawValue)
    case .playoutDelay:
      switch playoutDelay {
      case .auto: .text("auto")
      case .fixed(let milliseconds): .number(milliseconds)
      }
    case .playoutDelayMax: .number(playoutDelayMaximumMilliseconds)
    case .lateRate: .number(lateRatePercent)
    case .sidetone: sidetoneDecibels.map { .number($0) } ?? .text("off")
    case .program: .text(patches.programText)
    case .input: .list(patches.inputTexts)
    case .bus: .list(patches.busTexts)
    case .jackServer: .text(jackServer)
    case .jackClient: .text(jackClient)
    case .noConnect: .boolean(!connectsPorts)
    case .metrics: .text(metrics?.text ?? "")
    case .page: .text(page.place?.text ?? "")
    case .pageTrust: .text(page.trust.text)
    case .pageCertificate: .text(page.certificate)
    case .pageKey: .text(page.key)
    case .viaPlugin: .boolean(isViaPlugin)
    case .pluginSocket: .text(pluginPath)
    case .control: .text(controlPath)
    case .state: .text(statePath)
    case .messageDays: .integer(messageDays)
    case .voiceMessageDays: .integer(voiceMessageDays)
    case .messageHistory: .integer(messageHistoryMegabytes)
    case .messageKeep: .integer(messageKeepMegabytes)
    case .messageAloud: .text(messageAloud.rawValue)
    case .logLevel: .text(logLevel)
    case .voiceHighPass, .voiceEcho, .voiceSuppress, .voiceSuppressMix, .voiceGain, .voiceTarget,
      .voiceGate, .voiceVox, .voiceEffect, .voiceLimit:
      .text(setting.voice.map { voice.text(of: $0) } ?? "")
    case .speechASR, .speechTTS, .speechAllow, .speechWake, .speechLanguage, .speechSatellite,
      .speechSatelliteAllow:
      speech.value(of: setting)
    case .captionsTranscripts: .text(transcriptPath)
    case .captionsOffer: .boolean(offersCaptions)
    case .s3Endpoint, .s3Bucket, .s3Region, .s3KeyFile: s3.value(of: setting)
    case .uploadURL, .uploadTokenFile, .uploadAuthorities, .uploadFrom: mirror.value(of: setting)
    default: assistant.value(of: setting)
    }
  }

  private mutating func setVoice(_ setting: Setting, to text: String) throws(SettingProblem) {
    guard let name = setting.voice else { return }
    do throws(VoiceSettings.Problem) {
      try voice.set(name, to: text)
    } catch {
      throw .badValue(error.words)
    }
  }

  private static func transcriptPath(_ text: String) throws(SettingProblem) -> String {
    guard text.isEmpty || text.hasPrefix("/") else {
      throw .badValue("must be an absolute path, not \"\(text)\"")
    }
    var text = text
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }

  static func checkedName(_ text: String) throws(SettingProblem) -> String {
    guard isName(text) else {
      throw .badValue("must have 1 to 63 bytes, no control characters and no space at either end")
    }
    return text
  }

  private static func socketPath(_ text: String) throws(SettingProblem) -> String {
    guard !text.isEmpty, !text.utf8.contains(0) else { throw .badValue("must be a path") }
    guard text.utf8.count <= ControlPath.byteLimit else {
      throw .badValue(
        "is too long for a socket path, at most \(ControlPath.byteLimit) bytes: \(text)")
    }
    return text
  }

  /// A service on the web; nil: none.
  static func webPlace(_ text: String) throws(SettingProblem) -> WebPlace? {
    guard !text.isEmpty else { return nil }
    do throws(WebPlace.Problem) {
      return try WebPlace(text)
    } catch {
      throw .badValue(error.words)
    }
  }

  static func filePath(_ text: String) throws(SettingProblem) -> String {
    guard !text.utf8.contains(0) else { throw .badValue("must be a path") }
    return text
  }

  static func colour(_ text: String) throws(SettingProblem) -> UInt32? {
    guard !text.isEmpty else { return nil }
    guard text.utf8.count == 6, text.allSatisfy(\.isHexDigit), let colour = UInt32(text, radix: 16)
    else {
      throw .badValue("must be six hexadecimal digits such as ff8000, not \"\(text)\"")
    }
    return colour
  }

  static func text(ofColour colour: UInt32) -> String {
    let digits = String(colour, radix: 16)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  static func checked<Number: Comparable>(
    _ value: Number, within range: ClosedRange<Number>
  ) throws(SettingProblem) -> Number {
    guard range.contains(value) else {
      let limits = "\(shown(range.lowerBound)) to \(shown(range.upperBound))"
      throw .badValue("must be from \(limits), not \(shown(value))")
    }
    return value
  }

  /// A number without the `.0` that nobody wrote.
  private static func shown(_ value: some Any) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  static func place(_ text: String) throws(SettingProblem) -> HostAndPort {
    do throws(AddressError) {
      return try HostAndPort(text)
    } catch {
      throw .badValue("cannot be used: \(error)")
    }
  }

  private static func peers(_ texts: [String]) throws(SettingProblem) -> [HostAndPort] {
    var peers: [HostAndPort] = []
    for text in texts {
      let peer = try place(text)
      guard peer.port != 0 else { throw .badValue("must have a port from 1 to 65535: \(text)") }
      guard !peers.contains(peer) else { throw .badValue("names \(text) twice") }
      peers.append(peer)
    }
    return peers
  }

  private static func packetTime(_ milliseconds: Double) throws(SettingProblem) -> PacketTime {
    guard let ptime = PacketTime(rawValue: milliseconds) else {
      throw .badValue("must be one of \(PacketTime.words), not \(shown(milliseconds))")
    }
    return ptime
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ text: String
  ) throws(SettingProblem) -> Choice {
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: "|")
      throw .badValue("must be one of \(words), not \"\(text)\"")
    }
    return choice
  }

  private static func profileChoice(_ text: String) throws(SettingProblem) -> ProfileChoice {
    guard let choice = ProfileChoice(text) else {
      throw .badValue("must be one of \(ProfileChoice.words), not \"\(text)\"")
    }
    return choice
  }
}
