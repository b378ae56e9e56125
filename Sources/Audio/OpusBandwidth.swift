internal import COpus

/// The most of the spectrum that an encoder codes (RFC 6716 §2, table 1).
public enum OpusBandwidth: String, CaseIterable, Sendable {
  /// Up to 8 kHz: all that speech needs to be understood, at a third of the work.
  case wide
  /// Up to 20 kHz.
  case full

  /// The value COpus takes.
  var shimValue: copus_bandwidth {
    switch self {
    case .wide: COPUS_WIDE
    case .full: COPUS_FULL
    }
  }
}
