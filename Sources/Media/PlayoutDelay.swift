/// How long packets wait between arrival and playout.
public enum PlayoutDelay: Hashable, Sendable {
  /// The mean of (playout of a packet's first frame - its arrival), over the last two seconds less their latest tenth,
  /// is held at this value. What jitters more is lost; below about a codec frame's share of a device
  /// period plus the network's jitter nothing is played in time.
  case fixed(nanoseconds: Int64)
  /// As little as keeps the wanted share of late packets: by default 1 % of the last two seconds', or,
  /// where delays vary much, 0.5 % of the last twelve seconds'.
  case auto
}
