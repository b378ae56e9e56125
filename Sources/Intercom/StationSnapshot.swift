import Audio
import Cryptography
import EventLoop
import Habits
import Media
import Mesh
import RTP
import StatusSchema
import Voice

/// What a station is at one moment: plain values and what it holds already, taken on the media loop.
///
/// Words, texts of addresses and dictionaries are made of it elsewhere (``status(of:uptimeSeconds:)``).
struct StationSnapshot: Sendable {
  /// What the node sends.
  struct Sending: Sendable {
    var name: String
    var isTalking: Bool
    var ssrc: SSRC
    var coding: VoiceCoding
    var keyEpoch: UInt64
    /// Whose voice is sent back, and how long still.
    var loopBack: (peer: String, leftNanoseconds: Int64)?
    var mic: MeterReading
    /// The microphone's of the last second, linear.
    var micPeak: Double
    var mix: MeterReading
    /// nil: the user does not hear the own microphone.
    var sidetoneDecibels: Double?
  }

  /// What is done to the own voice.
  struct Voice: Sendable {
    var settings: VoiceSettings
    var delayMilliseconds: Double
    /// nil: no echo canceller.
    var isEchoFound: Bool?
    var echoEngine: String?
    var hearsSpeech: Bool?
    /// Of the automatic gain.
    var gainDecibels: Double?
    /// nil: no VOX.
    var isTransmitting: Bool?
    /// nil: no detector.
    var isTalkingMuted: Bool?
    var problem: String?
  }

  /// The side of JACK.
  struct Sound: Sendable {
    var isRunning: Bool
    var sampleRate: Int
    var periodFrames: Int
    var periodNanoseconds: Int64
    var counters: EngineCounters
    /// Since the start and of the last minute.
    var longestCallbackNanoseconds: Double
    var recentCallbackNanoseconds: Double
    var underruns: UnderrunCauses
    /// From the callback to the loop, half and 99 of 100.
    var wakeLatency: (median: Int64?, late: Int64?)
  }

  /// A member.
  struct Peer: Sendable {
    var node: NodeID
    /// Empty until it told one.
    var name: String
    /// Where it is, or is looked for.
    var address: SocketAddress?
    var state: PeerStatus.State
    var settings: PeerSettings
    var isRecording: Bool
    var roundTripNanoseconds: Int64?
    var remoteFractionLost: UInt8?
    var repair: (recipe: RepairRecipe, hasFEC: Bool, bitsPerSecond: Int)?
    /// Its sound, while that is heard.
    var heard: Heard?
    /// Those of its guests that are heard.
    var guests: [Guest] = []
    /// What it sends beside that, with what it is called.
    var others: [(label: String, heard: Heard)]
  }

  /// The sound of a member.
  struct Heard: Sendable {
    var statistics: PeerStreamStatistics
    var isPlaying: Bool
    var receivedBitsPerSecond: Int
    var quality: ConnectionQuality?
    var rmsDBFS: Float
    var underrunPeriods: Int
    var hasPort: Bool
    /// Nil: talkers are not brought to like loudness.
    var levellingDecibels: Double?
    var place: HeadPlace?
  }

  /// A guest of this node, or of a member.
  struct Guest: Sendable {
    /// Of this node's: its number, and whether a key of it is open.
    var own: (number: Int, isOn: Bool)?
    var name: String
    /// The colour to show it in; nil: its node's.
    var colourRGB: UInt32?
    /// That of its port.
    var title: String
    var heard: Heard
  }

  /// A further input.
  struct Input: Sendable {
    var settings: InputSettings
    var isTalking: Bool
    var levelDBFS: Float
  }

  /// A bus with a port of its own.
  struct Bus: Sendable {
    var settings: BusSettings
    var meter: MeterReading
  }

  var sending: Sending
  var inputs: [Input]
  var buses: [Bus]
  var voice: Voice
  var sound: Sound
  var drops: DatagramDrops.Counts
  var payloadDrops: PayloadDrops
  var peers: [Peer]
  var guests: [Guest]
}

/// What is made of a snapshot, on any thread but the loop's.
extension StationSnapshot {
  /// All that the station tells; what the loop counts by itself is added.
  func status(
    _ configuration: IntercomConfiguration, of loop: EventLoop, at listen: SocketAddress,
    uptimeSeconds: Double
  ) -> Status {
    let statistics = loop.statistics
    let isLocked = configuration.locksMemory && loop.memoryLockWarning == nil
    var status = Status(
      node: nodeStatus(configuration, at: listen, uptimeSeconds: uptimeSeconds),
      audio: audioStatus(configuration),
      loop: LoopStatus(
        wakes: Int(statistics.wakes), enters: Int(statistics.enters),
        wakeLatencyP50Microseconds: Double(sound.wakeLatency.median ?? 0) / 1000,
        wakeLatencyP99Microseconds: Double(sound.wakeLatency.late ?? 0) / 1000,
        scheduling: loop.realtimePriority.map { "fifo \($0)" } ?? "other",
        memoryLocked: isLocked),
      network: NetworkStatus(
        packetsSent: Int(statistics.datagramsOut), packetsReceived: Int(statistics.datagramsIn),
        drops: allDrops(statistics).filter { $0.value > 0 }),
      peers: peerStatuses(client: configuration.jackClient))
    if !guests.isEmpty {
      status.guests = guests.map { $0.status(client: configuration.jackClient) }
    }
    if !inputs.isEmpty { status.inputs = inputs.map(\.status) }
    if !buses.isEmpty { status.buses = buses.map(\.status) }
    return status
  }

  /// The node's own part.
  func nodeStatus(
    _ configuration: IntercomConfiguration, at listen: SocketAddress, uptimeSeconds: Double
  ) -> NodeStatus {
    let coding = sending.coding
    var status = NodeStatus(
      name: sending.name, version: configuration.softwareVersion,
      uptimeSeconds: uptimeSeconds, listen: listen.description, talk: sending.isTalking,
      micLevelDBFS: Double(sending.mic.rmsDBFS),
      micPeakDBFS: Double(MeterReading(peak: Float(sending.micPeak), rms: 0).peakDBFS),
      mixLevelDBFS: Double(sending.mix.rmsDBFS), ssrc: sending.ssrc.rawValue,
      ptimeMilliseconds: Double(coding.framesPerPacket) / 48,
      bitrateKilobits: Double(coding.bitsPerSecond) / 1000,
      bitrateMaxKilobits: Double(configuration.mostBitsPerSecond) / 1000,
      application: configuration.application(of: coding).rawValue)
    status.sidetoneDecibels = sending.sidetoneDecibels
    status.voice = voice.status
    status.keyEpoch = sending.keyEpoch
    status.loopBack = sending.loopBack.map {
      LoopBackStatus(peer: $0.peer, secondsLeft: Double(max(0, $0.leftNanoseconds)) / 1e9)
    }
    return status
  }

  /// JACK's part.
  func audioStatus(_ configuration: IntercomConfiguration) -> AudioStatus {
    let (counters, isRunning) = (sound.counters, sound.isRunning)
    let mean = Double(counters.callbackMeanNanoseconds)
    var status = AudioStatus(
      state: isRunning ? .running : .waiting, server: configuration.jackServer ?? "default",
      client: configuration.jackClient, sampleRate: isRunning ? sound.sampleRate : 0,
      periodFrames: isRunning ? sound.periodFrames : 0, xruns: Int(counters.xruns),
      missedPeriods: Int(counters.missedPeriods),
      callbackMeanMicroseconds: mean / 1000,
      callbackWorstMicroseconds: sound.longestCallbackNanoseconds / 1000,
      callbackLoadPercent: isRunning ? 100 * mean / Double(max(sound.periodNanoseconds, 1)) : 0,
      captureOverruns: Int(counters.captureOverrunFrames))
    status.refusedPeriods = Int(counters.refusedPeriods)
    status.ringErrors = Int(counters.ringErrors)
    status.callbackRecentWorstMicroseconds = sound.recentCallbackNanoseconds / 1000
    if sound.periodFrames > 0 {
      status.underruns = sound.underruns.periods(ofFrames: sound.periodFrames)
    }
    return status
  }

  /// All peers, in the order they came; a member with several addresses once.
  func peerStatuses(client: String) -> [PeerStatus] { peers.map { $0.status(client: client) } }

  /// What the loop dropped before anyone looked, and what the station dropped.
  private func allDrops(_ statistics: EventLoopStatistics) -> [String: Int] {
    var result = drops.byReason.merging(payloadDrops.byReason) { $0 + $1 }
    result["oversized"] = Int(statistics.oversizedDrops + statistics.truncatedDrops)
    result["kernelBufferFull"] = Int(statistics.kernelDrops)
    result["receiveError"] = Int(statistics.receiveErrors + statistics.malformedDrops)
    result["sendBufferFull"] = Int(statistics.sendsFull + statistics.packetShortages)
    result["sendUnreachable"] = Int(statistics.sendsUnreachable)
    result["sendRefused"] = Int(statistics.sendsRefused)
    return result
  }
}

extension StationSnapshot.Voice {
  fileprivate var status: VoiceStatus {
    let texts = VoiceSettings.Name.allCases.map { ($0.rawValue, settings.text(of: $0)) }
    var status = VoiceStatus(
      settings: Dictionary(uniqueKeysWithValues: texts), delayMilliseconds: delayMilliseconds)
    (status.hearsSpeech, status.gainDecibels) = (hearsSpeech, gainDecibels)
    (status.isEchoFound, status.echoEngine) = (isEchoFound, echoEngine)
    status.isTalkingMuted = isTalkingMuted
    (status.isTransmitting, status.problem) = (isTransmitting, problem)
    return status
  }
}

extension StationSnapshot.Peer {
  /// The peer for display.
  func status(client: String) -> PeerStatus {
    let address = address?.description ?? ""
    var status = PeerStatus(name: name.isEmpty ? address : name, address: address, state: state)
    status.id = node.text
    status.gainDecibels = settings.gainDecibels
    status.pan = settings.pan
    if let place = heard?.place {
      status.azimuthDegrees = place.azimuthDegrees
      status.elevationDegrees = place.elevationDegrees
    }
    status.isMuted = settings.isMuted
    status.isRecording = isRecording
    status.roundTripMilliseconds = roundTripNanoseconds.map { Double($0) / 1e6 }
    status.remoteLossPercent = remoteFractionLost.map { Double($0) / 2.56 }
    if let repair {
      status.sentBitrateKilobits = Double(repair.bitsPerSecond) / 1000
      status.sentCopies = repair.recipe.words(hasFEC: repair.hasFEC)
    }
    if !guests.isEmpty { status.guests = guests.map { $0.status(client: client) } }
    if let heard {
      heard.fill(&status)
      if heard.hasPort { status.port = "\(PeerPort(client: client, peer: name))" }
    }
    if !others.isEmpty {
      status.streams = others.map { $0.heard.status(of: $0.label, of: name, client: client) }
    }
    return status
  }
}

extension StationSnapshot.Input {
  fileprivate var status: InputStatus {
    var status = InputStatus(
      name: settings.name, ports: settings.ports, isOn: settings.isOn, isTalking: isTalking,
      levelDBFS: Double(levelDBFS))
    if !settings.lines.isEmpty { status.lines = settings.lines }
    return status
  }
}

extension StationSnapshot.Bus {
  fileprivate var status: BusStatus {
    BusStatus(
      name: settings.name, port: settings.port, levelDBFS: Double(meter.rmsDBFS),
      allDecibels: settings.others.isFinite ? settings.others : nil,
      peersDecibels: settings.members.filter(\.value.isFinite),
      peersOff: settings.members.filter { !$0.value.isFinite }.keys.sorted())
  }
}

extension StationSnapshot.Heard {
  fileprivate func status(of label: String, of peer: String, client: String) -> PeerStreamStatus {
    var status = PeerStreamStatus(name: label)
    (status.ssrc, status.isTalking) = (statistics.ssrc?.rawValue, isPlaying)
    status.levelDBFS = Level.finite(Double(rmsDBFS))
    if statistics.channels > 0 { status.channels = statistics.channels }
    (status.received, status.late) = (statistics.received, statistics.late)
    (status.lost, status.repaired) = (lostPackets, statistics.repaired)
    status.bitrateKilobits = Double(receivedBitsPerSecond) / 1000
    status.playoutDelayMilliseconds = Double(statistics.playoutDelayNanoseconds) / 1e6
    if hasPort { status.port = "\(PeerPort(client: client, peer: "\(peer) \(label)"))" }
    return status
  }

  /// Whatever was repaired never came itself.
  fileprivate var lostPackets: Int { statistics.lost + statistics.repaired - statistics.overtaken }

  fileprivate func fill(_ status: inout PeerStatus) {
    status.bitrateKilobits = Double(receivedBitsPerSecond) / 1000
    if let quality {
      (status.quality, status.qualityReason) = (quality.figure, quality.reason)
    }
    status.levelDBFS = Level.finite(Double(rmsDBFS))
    status.levellingDecibels = levellingDecibels
    status.underrun = underrunPeriods
    status.ssrc = statistics.ssrc?.rawValue
    status.isTalking = isPlaying
    status.jitterMilliseconds = Double(statistics.jitterNanoseconds) / 1e6
    status.playoutDelayMilliseconds = Double(statistics.playoutDelayNanoseconds) / 1e6
    if statistics.ssrc != nil {
      status.driftPPM = statistics.driftPPM
      status.isClockLocked = statistics.isClockLocked
    }
    let lost = lostPackets
    (status.received, status.lost) = (statistics.received, lost)
    (status.repaired, status.resent) = (statistics.repaired, statistics.repairedByResending)
    status.recovered = statistics.recovered
    (status.late, status.duplicate) = (statistics.late, statistics.duplicate)
    status.concealed = Int(statistics.concealedPackets + 0.001)
    status.spliced = statistics.removals + statistics.insertions + statistics.jumps
    let expected = statistics.received + lost
    status.lossPercent = 100 * Double(lost) / Double(max(expected, 1))
  }
}

extension StationSnapshot.Guest {
  /// The guest for display.
  func status(client: String) -> GuestStatus {
    var status = GuestStatus(name: name)
    status.colour = colourRGB.map(NodeProfile.digits)
    (status.number, status.isOn) = (own?.number, own?.isOn)
    status.isTalking = heard.isPlaying
    status.levelDBFS = Level.finite(Double(heard.rmsDBFS))
    let statistics = heard.statistics
    status.playoutDelayMilliseconds = Double(statistics.playoutDelayNanoseconds) / 1e6
    status.jitterMilliseconds = Double(statistics.jitterNanoseconds) / 1e6
    (status.received, status.lost) = (statistics.received, heard.lostPackets)
    status.concealed = Int(statistics.concealedPackets + 0.001)
    status.quality = heard.quality?.figure
    if heard.hasPort { status.port = "\(PeerPort(client: client, peer: title))" }
    return status
  }
}
