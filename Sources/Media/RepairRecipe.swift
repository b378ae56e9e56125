import RTP

/// What a packet to one receiver carries: its own codec frame, and copies of earlier ones
/// (RFC 2198).
///
/// Receivers with equal needs share a recipe, and so a packet.
public struct RepairRecipe: Hashable, Sendable {
  /// Which of the two codings of a frame.
  public enum Coding: Hashable, Sendable {
    /// At the talker's bit rate.
    case full
    /// At the low rate of the talker's second encoder; the same decoder takes both.
    case lean
  }

  /// Greatest distance of a copy, in packets.
  ///
  /// In bursts of three, a copy three packets later survives (trials over emulated links); beyond four
  /// it costs more delay than it saves.
  public static let greatestDistance = 4

  /// Coding of the packet's own frame; lean where the bit rate allows no more.
  public var primary: Coding
  /// Coding of the copies.
  public var copies: Coding
  /// Distance of the nearer copy, in packets; 0: none.
  public var nearDistance: Int
  /// Distance of the farther one, above `nearDistance`; 0: none.
  public var farDistance: Int

  /// Makes a recipe; distances of 0 for copies there are none of.
  public init(
    primary: Coding = .full, copies: Coding = .full, nearDistance: Int = 0, farDistance: Int = 0
  ) {
    precondition((0...Self.greatestDistance).contains(nearDistance))
    precondition(
      farDistance == 0 || (nearDistance + 1...Self.greatestDistance).contains(farDistance))
    self.primary = primary
    self.copies = copies
    self.nearDistance = nearDistance
    self.farDistance = farDistance
  }

  /// The packet's own frame only.
  public static let plain = RepairRecipe()

  /// How many copies a packet carries.
  public var copyCount: Int { (nearDistance > 0 ? 1 : 0) + (farDistance > 0 ? 1 : 0) }
  /// Distance of the last copy, in packets: the extra delay of the receiver.
  public var greatestDistance: Int { max(nearDistance, farDistance) }
  /// The recipe in a few words: `none`, `1`, `1+3`, and `low rate` for what is coded so;
  /// `in-band FEC` where no copies are beside it.
  public func words(hasFEC: Bool) -> String {
    let distances = [nearDistance, farDistance].filter { $0 > 0 }
    guard !distances.isEmpty else {
      return primary == .lean ? "none, low rate" : hasFEC ? "in-band FEC" : "none"
    }
    let text = distances.map { "\($0)" }.joined(separator: "+")
    return copies == .lean ? "\(text) low rate" : text
  }
  /// Whether it needs the second, low-rate coding.
  public var needsLean: Bool { primary == .lean || copyCount > 0 && copies == .lean }

  /// Payload bits a second, block headers included, when frames are coded at `full` and `lean`.
  public func bitsPerSecond(full: Int, lean: Int, framesPerPacket: Int) -> Int {
    let coded = (primary == .full ? full : lean) + copyCount * (copies == .full ? full : lean)
    guard copyCount > 0 else { return coded }
    let headerBytes =
      copyCount * RedundantPayload.copyHeaderBytes + RedundantPayload.primaryHeaderBytes
    return coded + 8 * headerBytes * MediaClock.framesPerSecond / framesPerPacket
  }
}
