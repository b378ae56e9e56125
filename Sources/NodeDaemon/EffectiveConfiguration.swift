/// A configuration, and where each of its settings comes from.
struct EffectiveConfiguration: Sendable {
  /// What holds.
  var configuration: Configuration
  /// Where it comes from; settings that are not listed have their defaults.
  var origins: [Setting: Origin] = [:]
  /// The file that was read, if any.
  var path: String?
}
