public import Media
public import RTP

/// Two machines and the link between them.
public struct ScenarioSettings: Sendable {
  /// Frames of a device period, on both machines.
  public var periodFrames = 64
  /// Frames in a packet.
  public var framesPerPacket = 120
  /// How long before its beat the receiving loop renders.
  public var leadNanoseconds: Int64 = 200_000
  /// From the sender's beat to the packet's departure.
  public var processingNanoseconds: Int64 = 50_000
  /// The sender's first beat; the receiver's is at 0.
  public var senderPhaseNanoseconds: Int64 = 0
  /// How much faster than time the sender's clock is, in parts per million.
  public var senderDriftPPM = 0.0
  /// The same of the receiver's device.
  public var receiverDriftPPM = 0.0
  /// Frames a second of the receiver's device, nominally; the sender's has 48 000.
  public var receiverRate = 48_000
  /// The link.
  public var link = LinkModel()
  /// How the receiver plays.
  public var stream = PeerStreamConfiguration()
  /// Whether the sender keeps quiet in pauses.
  public var usesDTX = false
  /// Whether the receiver's stream knows the device's beats.
  public var tellsGrid = true
  /// Whether the sender sends from the beginning.
  public var talks = true
  /// Amplitude of the tone.
  public var amplitude: Float = 0.5
  /// Near its wrap.
  public var firstSequenceNumber = SequenceNumber(rawValue: 65_500)
  /// Near its wrap.
  public var firstTimestamp = RTPTimestamp(rawValue: .max - 20_000)
  /// The sender's name.
  public var ssrc = SSRC(rawValue: 0x0C0_1155)
  /// All randomness comes from here.
  public var seed: UInt64 = 1
  /// Whether what is heard is kept.
  public var recordsOutput = false

  /// P = 64, 2.5 ms packets, a perfect link.
  public init() {}

  /// How long a period lasts on a clock that runs faster than time.
  func periodNanoseconds(rate: Int = 48_000, driftPPM: Double) -> Double {
    Double(periodFrames) * 1e9 / Double(rate) / (1 + driftPPM * 1e-6)
  }
}
