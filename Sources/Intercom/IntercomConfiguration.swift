public import Audio
public import EventLoop
public import Habits
public import Media
import RTP
public import Voice

/// What a node is told at its start.
public struct IntercomConfiguration: Sendable {
  /// This program's version, for status.
  public var softwareVersion: String
  /// Display name, sent to peers as SDES NAME.
  public var name: String
  /// Where the node's only socket is bound; RTP and RTCP share it (RFC 5761).
  public var listen: SocketAddress
  /// JACK server by name; nil for JACK's default.
  public var jackServer: String?
  /// JACK client name.
  public var jackClient: String
  /// Connects `mic` and the mix to a sound card where they are connected to nothing.
  public var connectsPhysicalPorts: Bool
  /// The JACK connections of the former run, to be made again.
  public var portMemory = PortMemory()
  /// What members were called in the former run.
  public var nameMemory = NameMemory()
  /// The socket of the plugin in jackd that plays for this node; nil: it is a JACK client of its own.
  public var pluginPath: String?
  /// Frames at 48 kHz in each sent packet: 120, 240, 480, 960, 1920 or 2880.
  public var framesPerPacket: Int
  /// How loud the own microphone is in the own ear, within `NodeStatus.sidetoneRangeDecibels`; nil: not at all.
  public var sidetoneDecibels: Double?
  /// Inputs beside the microphone, with ``Audio/AudioEngine/mostInputs`` ports at most.
  public var inputs: [InputSettings] = []
  /// Buses with ports of their own, at most ``BusSettings/mostBuses``.
  public var buses: [BusSettings] = []
  /// What is done to the own voice before it is sent.
  public var voice = VoiceSettings()
  /// Opus' target, 6000…510000.
  public var bitsPerSecond: Int
  /// Most payload bits a second for one peer, copies and what is sent again included; not below `bitsPerSecond`.
  public var mostBitsPerSecond: Int
  /// Opus' mode.
  public var application: OpusApplication
  /// How hard Opus tries, 0…10.
  public var complexity: Int
  /// The most of the spectrum that is sent.
  public var bandwidth: OpusBandwidth
  /// The copies that every peer is sent; nil: what each needs by its reports.
  public var fixedRecipe: RepairRecipe?
  /// How long received packets wait for stragglers.
  public var playoutDelay: PlayoutDelay
  /// Share of the packets that an automatic delay lets come too late, above 0 and below 1.
  public var lateShare: Double
  /// Hard upper bound of that wait.
  public var playoutDelayMaximumNanoseconds: Int64
  /// Most peers at once, 1…64.
  public var maximumPeers: Int
  /// SCHED_FIFO priority of the media loop; nil leaves the ordinary scheduler.
  public var realtimePriority: Int?
  /// Locks memory against paging.
  public var locksMemory: Bool

  /// The defaults of a loopback node.
  public init(name: String, listen: SocketAddress, softwareVersion: String) {
    self.softwareVersion = softwareVersion
    self.name = name
    self.listen = listen
    jackServer = nil
    jackClient = "comlink"
    connectsPhysicalPorts = true
    framesPerPacket = 480
    bitsPerSecond = 64_000
    mostBitsPerSecond = 96_000
    application = .lowDelay
    complexity = OpusEncoder.defaultComplexity
    bandwidth = .full
    fixedRecipe = nil
    playoutDelay = .auto
    lateShare = 0.005
    playoutDelayMaximumNanoseconds = 120_000_000
    maximumPeers = 64
    realtimePriority = 60
    locksMemory = true
  }

  /// Takes how a kind of place sends and plays; what it does to the voice is not taken.
  public mutating func take(_ profile: Profile) {
    let settings = profile.settings
    framesPerPacket = settings.framesPerPacket
    bitsPerSecond = settings.bitsPerSecond
    mostBitsPerSecond = settings.mostBitsPerSecond
    application = settings.application
    complexity = settings.complexity
    bandwidth = settings.bandwidth
    lateShare = settings.lateShare
  }

  /// How frames are coded where nothing is amiss.
  var coding: VoiceCoding {
    VoiceCoding(
      framesPerPacket: framesPerPacket, bitsPerSecond: bitsPerSecond,
      isSpeech: application == .voip && framesPerPacket >= 480)
  }

  /// How each peer's stream is played.
  var streams: PeerStreamConfiguration {
    PeerStreamConfiguration(
      playoutDelay: playoutDelay, playoutDelayMaximumNanoseconds: playoutDelayMaximumNanoseconds,
      lateShare: lateShare)
  }

  /// The encoders as told, and of the speech mode where it is not what is told, for ways that take no more.
  func makeEncoders() throws(AudioError) -> TalkerEncoders {
    var encoders = TalkerEncoders(
      full: try OpusEncoder(
        application: application, bitrateBitsPerSecond: bitsPerSecond, complexity: complexity,
        bandwidth: bandwidth),
      lean: try OpusEncoder(
        application: application, bitrateBitsPerSecond: coding.leanBitsPerSecond,
        complexity: complexity, bandwidth: bandwidth))
    guard !coding.isSpeech else { return encoders }
    encoders.speech = try OpusEncoder(
      application: .voip, bitrateBitsPerSecond: coding.leanBitsPerSecond, complexity: complexity,
      bandwidth: .wide)
    encoders.leanSpeech = try OpusEncoder(
      application: .voip, bitrateBitsPerSecond: coding.leanBitsPerSecond, complexity: complexity,
      bandwidth: .wide)
    return encoders
  }

  /// The encoders of a further input: as the voice's, and of one with two channels in stereo, for music.
  func makeEncoders(for input: InputSettings) throws(AudioError) -> TalkerEncoders {
    guard input.channels == 2 else { return try makeEncoders() }
    let lean = coding.leanBitsPerSecond
    return TalkerEncoders(
      full: try StereoEncoder(
        at: StereoEncoder.bitsPerSecond(besideVoiceOf: bitsPerSecond), besideVoiceOf: bitsPerSecond,
        complexity: complexity),
      lean: try StereoEncoder(at: 2 * lean, besideVoiceOf: lean, complexity: complexity))
  }
}

/// Codes music in two channels, at a share of its bit rate that is the voice's share of the voice's own: where a way
/// takes less, both get less.
final class StereoEncoder: FrameEncoder {
  /// Opus is transparent for most music from the upper end on, and good from the lower.
  private static let range = 96_000...160_000

  private let encoder: OpusEncoder
  private let (usual, voice): (Int, Int)

  /// At so much where the voice has what it was told.
  init(at usual: Int, besideVoiceOf voice: Int, complexity: Int) throws(AudioError) {
    encoder = try OpusEncoder(
      application: .audio, bitrateBitsPerSecond: usual, complexity: complexity, channels: 2)
    (self.usual, self.voice) = (usual, voice)
  }

  /// What music in stereo is worth beside a voice of that rate.
  static func bitsPerSecond(besideVoiceOf voice: Int) -> Int {
    max(range.lowerBound, min(2 * voice, range.upperBound))
  }

  func encode(_ pcm: Span<Float>, into payload: inout MutableRawSpan) -> Int {
    encoder.encode(pcm, into: &payload)
  }

  func aim(bitsPerSecond: Int) {
    encoder.aim(bitsPerSecond: min(usual * bitsPerSecond / voice, Self.range.upperBound))
  }

  func expect(lossPercent: Int) { encoder.expect(lossPercent: lossPercent) }

  func reset() { encoder.reset() }

  var lookaheadFrames: Int { encoder.lookaheadFrames }
}

/// Who this node is for one run: the RTP session's SSRC and canonical name.
struct Identity: Sendable {
  /// Random (RFC 3550 §8.1).
  ///
  /// Two nodes that drew the same, one pair in four billion, ignore
  /// each other and count `ownSSRC`.
  let ssrc: SSRC
  /// Random for each run, 96 bits (RFC 7022 §4.2), so that peers recognise a restart.
  let canonicalName: String

  /// Draws both from the system's random source.
  init() {
    var random = SystemRandomNumberGenerator()
    self.init(using: &random)
  }

  /// Draws both from a random source.
  init(using random: inout some RandomNumberGenerator) {
    ssrc = SSRC(rawValue: .random(in: 1 ... .max, using: &random))
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    canonicalName = String((0..<16).map { _ in alphabet[Int.random(in: 0..<64, using: &random)] })
  }
}
