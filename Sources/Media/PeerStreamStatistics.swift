public import RTP

/// What became of a peer's packets.
///
/// At any time: received + repaired = played + notices + late + duplicate + discarded.total + buffered.
public struct PeerStreamStatistics: Hashable, Sendable {
  /// The stream being played; nil before the first packet.
  public internal(set) var ssrc: SSRC?
  /// Packets handed to `receive`.
  public internal(set) var received = 0
  /// Payload bytes in them.
  public internal(set) var receivedOctets = 0
  /// Packets given to the decoder.
  public internal(set) var played = 0
  /// Packets that only said "nobody talks" (one byte of payload).
  public internal(set) var notices = 0
  /// Packets that came after their time.
  public internal(set) var late = 0
  /// Further copies of packets.
  public internal(set) var duplicate = 0
  /// Packets dropped for other reasons.
  public internal(set) var discarded = PacketDiscards()
  /// Packets waiting for their time.
  public internal(set) var buffered = 0
  /// Sequence numbers passed in playout whose packets never came; falls when one comes late.
  public internal(set) var lost = 0
  /// Copies of packets that came in others (RFC 2198), needed or not.
  public internal(set) var copies = 0
  /// Packets that came because they were sent again (RFC 4588), needed or not.
  public internal(set) var resent = 0
  /// Packets whose sound was there in time by a copy, by being sent again or by in-band FEC.
  public internal(set) var repaired = 0
  /// How many of those by being sent again.
  public internal(set) var repairedByResending = 0
  /// How many of those by in-band FEC of the packet after.
  public internal(set) var recovered = 0
  /// How many of the repaired came themselves after all.
  public internal(set) var overtaken = 0
  /// What the stream's frames are coded at, without copies, notices left out; smoothed.
  public internal(set) var codedBitsPerSecond = 0
  /// Whether by the codec's speech mode.
  public internal(set) var isSpeechCoded = false
  /// Whether the newest packet had sound, so that more is to come.
  public internal(set) var isTalking = false
  /// By how much packets are under way for longer than at their best of the last half minute.
  public internal(set) var delayRiseNanoseconds: Int64 = 0
  /// How many packets in a row do not come at first, on average over the last seconds.
  public internal(set) var burstPackets = 1.0
  /// PCM frames invented by the decoder.
  public internal(set) var concealedFrames = 0
  /// The same in packets, each as long as they were then.
  public internal(set) var concealedPackets = 0.0
  /// PCM frames at 48 kHz that a packet of the stream carries, by the last one played.
  public internal(set) var packetFrames = 0
  /// Channels of the last packet with sound; 0: there was none.
  public internal(set) var channels = 0
  /// Times that packets had another number of channels than before.
  public internal(set) var channelChanges = 0
  /// Runs of invented frames.
  public internal(set) var concealmentEvents = 0
  /// Payloads the decoder refused.
  public internal(set) var decoderErrors = 0
  /// Sender restarts and changes of SSRC followed.
  public internal(set) var restarts = 0
  /// Talk spurts begun.
  public internal(set) var starts = 0
  /// Times a part of the signal was taken out to get earlier, inaudibly.
  public internal(set) var removals = 0
  /// Times a part of the signal was repeated to get later, inaudibly.
  public internal(set) var insertions = 0
  /// Steps of the path's delay up or down that were followed at once.
  public internal(set) var delaySteps = 0
  /// Faded jumps, because the delay was above its bound.
  public internal(set) var jumps = 0
  /// How much faster than the device's clock the sender's runs, in parts per million, as far as
  /// known.
  public internal(set) var driftPPM = 0.0
  /// Whether `driftPPM` is known to within a few ppm.
  public internal(set) var isClockLocked = false
  /// Whether the sound goes through the resampler: the clocks differ, or the device's rate is not
  /// 48 kHz.
  public internal(set) var isResampled = false
  /// Interarrival jitter as RFC 3550 §A.8 has it.
  public internal(set) var jitterNanoseconds: Int64 = 0
  /// Smoothed mean of playout minus arrival of the packets played.
  public internal(set) var playoutDelayNanoseconds: Int64 = 0
  /// Smoothed mean of due minus arrival of the packets played: how much later they could come.
  public internal(set) var slackNanoseconds: Int64 = 0
}

/// How a peer's stream is played.
public struct PeerStreamConfiguration: Hashable, Sendable {
  /// What ``repairDelayMaximumNanoseconds`` is where nothing else is said, as senders suppose.
  public static let usualRepairDelayNanoseconds: Int64 = 50_000_000

  /// How long packets wait before they sound.
  public var playoutDelay: PlayoutDelay
  /// No packet waits longer than this between arrival and playout, whatever `playoutDelay` says.
  public var playoutDelayMaximumNanoseconds: Int64
  /// Share of the packets that `auto` lets come too late, above 0 and below 1.
  public var lateShare: Double
  /// How much of `auto` may be for repairs to come in time;
  /// 1.8 times that where bursts are lost, and a packet where that is longer.
  public var repairDelayMaximumNanoseconds: Int64

  /// Makes a configuration; 120 ms by default, beyond which people start to talk over each other
  /// (ITU-T G.114 §4 wants 150 ms mouth to ear).
  public init(
    playoutDelay: PlayoutDelay = .auto, playoutDelayMaximumNanoseconds: Int64 = 120_000_000,
    lateShare: Double = 0.005, repairDelayMaximumNanoseconds: Int64 = usualRepairDelayNanoseconds
  ) {
    precondition(lateShare > 0 && lateShare < 1)
    self.playoutDelay = playoutDelay
    self.playoutDelayMaximumNanoseconds = playoutDelayMaximumNanoseconds
    self.lateShare = lateShare
    self.repairDelayMaximumNanoseconds = repairDelayMaximumNanoseconds
  }
}
