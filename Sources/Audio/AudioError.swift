/// Why something of this target could not be set up; nothing on the hot path throws.
public enum AudioError: Error, Hashable, Sendable {
  /// libopus refused: what was asked for, and its own words.
  case codec(attempt: String, reason: String)
  /// No resampler: the output rate / input rate asked for, and why.
  case resampler(ratio: Double, reason: String)
  /// The real-time memory (rings, ports, meters) could not be had.
  case outOfMemory(wanted: String)
  /// The operating system refused: what was asked for, and `errno`.
  case system(attempt: String, errorNumber: Int32)
}
