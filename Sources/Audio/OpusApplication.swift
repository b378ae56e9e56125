internal import COpus

/// What the encoder is tuned for; decides its look-ahead.
public enum OpusApplication: String, CaseIterable, Sendable {
  /// OPUS_APPLICATION_RESTRICTED_LOWDELAY: CELT only, 120 frames (2.5 ms) of look-ahead.
  case lowDelay = "lowdelay"
  /// OPUS_APPLICATION_VOIP: speech, SILK or hybrid from 10 ms on, 312 frames (6.5 ms) of look-ahead.
  case voip
  /// OPUS_APPLICATION_AUDIO: any sound, 312 frames (6.5 ms) of look-ahead.
  case audio

  /// The value COpus takes.
  var shimValue: copus_application {
    switch self {
    case .lowDelay: COPUS_LOWDELAY
    case .voip: COPUS_VOIP
    case .audio: COPUS_AUDIO
    }
  }
}
