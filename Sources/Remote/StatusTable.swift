public import StatusSchema

/// A ``Status`` as text for a terminal of 100 columns; names of peers beyond ten characters widen their lines.
public enum StatusTable {
  /// The widest line that is printed beside those of peers, in characters.
  public static let columns = 100

  /// The status in lines, without a final line end.
  ///
  /// What comes from other nodes (their names) cannot send commands to the terminal.
  public static func text(_ status: Status) -> String {
    var lines = node(status.node) + (status.node.voice.map(voice) ?? []) + audio(status.audio)
    lines.insert(contentsOf: identity(status.node) + loopBack(status.node), at: 1)
    lines += [loop(status.loop), network(status.network)] + guests(status)
    lines += status.recording.map(RecordingLines.lines) ?? []
    lines += status.captions.map(CaptionTable.lines) ?? []
    lines += [""]
    lines = lines.map { String($0.prefix(columns)) }
    let peers = PeerTable.lines(status.peers) + QualityTable.lines(status.peers)
    lines += peers.map { String($0.prefix(columns + NameColumn(status.peers).extra)) }
    return lines.joined(separator: "\n")
  }

  /// Text from outside with everything replaced that a terminal could take for a command.
  public static func cleaned(_ text: String) -> String { Cell.clean(text) }

  private static func node(_ node: NodeStatus) -> [String] {
    let ssrc = String(node.ssrc, radix: 16)
    return [
      "node     \(Cell.clean(node.name))  \(node.listen)  talk \(node.talk ? "ON" : "off")  "
        + "up \(duration(node.uptimeSeconds))  comlinkd \(node.version)",
      "sound    mic \(level(node.micLevelDBFS)) (peak \(level(node.micPeakDBFS)))  "
        + "mix \(level(node.mixLevelDBFS))  \(node.application) "
        + "\(Fixed.text(node.ptimeMilliseconds, digits: 1)) ms "
        + "\(Fixed.text(node.bitrateKilobits, digits: 0)) kbit/s  ssrc 0x\(ssrc)",
    ]
  }

  /// What is on of it; nothing where all is off.
  static func voice(_ voice: VoiceStatus) -> [String] {
    let on = ["high-pass", "echo", "suppress", "gain", "gate", "vox", "effect"].compactMap { name in
      voice.settings[name].flatMap { $0 == "off" ? nil : "\(name) \(Cell.clean($0))" }
    }
    let problem = voice.problem.map { ["         \(Cell.clean($0))"] } ?? []
    guard !on.isEmpty else { return problem }
    let gain = voice.gainDecibels.map { "  (gain now \(Fixed.text($0, digits: 1)) dB)" } ?? ""
    let vox = voice.isTransmitting == false ? "  VOX shut" : ""
    let delay = "  \(Fixed.text(voice.delayMilliseconds, digits: 1)) ms late"
    return ["voice    " + on.joined(separator: "  ") + gain + delay + vox] + problem
  }

  /// Nothing of a daemon that has no identity yet.
  private static func identity(_ node: NodeStatus) -> [String] {
    guard let id = node.id, let words = node.idWords else { return [] }
    let start = node.instance.map { "  start \($0)" } ?? ""
    let isKept = node.identityProblem == nil
    return [
      "id       \(Cell.clean(id))\(start)\(isKept ? "" : "  for this run only")",
      "words    \(Cell.clean(words))",
    ] + twin(node) + (node.trustProblem.map { ["trust    unknown: \(Cell.clean($0))"] } ?? [])
      + (node.keepingProblem.map { ["state    \(Cell.clean($0))"] } ?? [])
  }

  private static func twin(_ node: NodeStatus) -> [String] {
    guard let twin = node.identityTwin else { return [] }
    return ["PROBLEM  \(Cell.clean(twin))", "         \(NodeStatus.twinAdvice)"]
  }

  private static func loopBack(_ node: NodeStatus) -> [String] {
    guard let loopBack = node.loopBack else { return [] }
    return [
      "loopback sends \(Cell.clean(loopBack.peer)) back instead of the microphone, "
        + "\(Fixed.text(loopBack.secondsLeft, digits: 0)) s left"
    ]
  }

  private static func audio(_ audio: AudioStatus) -> [String] {
    let jack =
      "jack     \(audio.state.rawValue)  \(implementation(audio))server \(Cell.clean(audio.server))  "
      + "client \(Cell.clean(audio.client))"
    let problem = audio.problem.map { ["         \(Cell.clean($0))"] } ?? []
    guard audio.state == .running else { return [jack] + problem }
    let figures = "  \(audio.sampleRate) Hz  \(audio.periodFrames) frames  \(audio.xruns) xruns"
    let callback =
      "callback mean \(Fixed.text(audio.callbackMeanMicroseconds, digits: 1)) us  "
      + "worst \(worst(audio))  "
      + "load \(Fixed.text(audio.callbackLoadPercent, digits: 1)) %  "
      + "capture overruns \(audio.captureOverruns)"
    return [jack + figures] + problem + [callback] + defects(audio)
      + underruns(audio.underruns ?? [:])
  }

  private static func implementation(_ audio: AudioStatus) -> String {
    audio.implementation.map { "\(Cell.clean($0))  " } ?? ""
  }

  /// Only when there were any, as nobody should ever see them.
  private static func defects(_ audio: AudioStatus) -> [String] {
    let counts = [
      (audio.refusedPeriods ?? 0, "periods longer than 8192 frames, played as silence"),
      (audio.ringErrors ?? 0, "ring errors, a defect in comlinkd: please report"),
    ]
    return counts.filter { $0.0 > 0 }.map { "         \($0.0) \($0.1)" }
  }

  /// Only when there were any, as that is what is looked for then.
  private static func underruns(_ causes: [String: Int]) -> [String] {
    guard !causes.isEmpty else { return [] }
    let counts = causes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return [
      "periods in which a talking peer had no audio, by cause: "
        + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    ]
  }

  /// Of the last minute, and in all where that is longer.
  private static func worst(_ audio: AudioStatus) -> String {
    let ever = Fixed.text(audio.callbackWorstMicroseconds, digits: 1)
    let recent = audio.callbackRecentWorstMicroseconds.map { Fixed.text($0, digits: 1) } ?? ever
    return recent == ever ? "\(ever) us" : "\(recent) us (of all \(ever))"
  }

  private static func loop(_ loop: LoopStatus) -> String {
    "loop     wake-up p50 \(Fixed.text(loop.wakeLatencyP50Microseconds, digits: 0)) us  "
      + "p99 \(Fixed.text(loop.wakeLatencyP99Microseconds, digits: 0)) us  \(loop.scheduling)  "
      + "memory \(loop.memoryLocked ? "locked" : "not locked")  \(loop.wakes) wakes"
  }

  private static func network(_ network: NetworkStatus) -> String {
    let drops = network.drops.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let reasons = drops.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let dropped = drops.reduce(0) { $0 + $1.value }
    return "network  sent \(network.packetsSent)  received \(network.packetsReceived)  "
      + "dropped \(dropped)\(reasons.isEmpty ? "" : " (\(reasons))")"
  }

  /// People at browsers, a line each; nothing where there are none.
  private static func guests(_ status: Status) -> [String] {
    let own = (status.guests ?? []).map { ($0, "here") }
    let others = status.peers.flatMap { peer in
      (peer.guests ?? []).map { ($0, "of \(Cell.clean(peer.name))") }
    }
    return (own + others).map { guest, place in
      "guest    \(Cell.clean(guest.name)) \(place)  \(guest.isTalking ? "talks" : "quiet")  "
        + "\(level(guest.levelDBFS))  delay \(Fixed.text(guest.playoutDelayMilliseconds, digits: 1)) ms  "
        + "lost \(guest.lost)  made up \(guest.concealed)"
    }
  }

  private static func level(_ levelDBFS: Double) -> String {
    levelDBFS <= Level.silenceDBFS ? "silent" : "\(Fixed.text(levelDBFS, digits: 1)) dB"
  }

  /// A time as hours, minutes and seconds.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e12)))
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    return "\(hours):\(Cell.two(minutes)):\(Cell.two(whole % 60))"
  }
}
