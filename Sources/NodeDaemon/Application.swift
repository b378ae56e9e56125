/// What Opus is tuned for.
enum Application: String, CaseIterable, Sendable {
  /// Least delay: 2.5 ms of look-ahead.
  case lowdelay
  /// Speech at low bit rates: 6.5 ms of look-ahead.
  case voip
  /// One of the two, by packet time and bit rate.
  case auto

  /// The choice that is made for a stream.
  ///
  /// Below 10 ms Opus has no speech mode, so look-ahead would buy nothing. From there on the speech mode
  /// pays where bits are scarce; it costs three times the CPU of the other.
  func resolved(ptime: PacketTime, bitrateKilobits: Int) -> Application {
    guard self == .auto else { return self }
    return ptime.milliseconds >= 10 && bitrateKilobits < 32 ? .voip : .lowdelay
  }
}
