/// `--clear`: media that are not encrypted, for tests with programs that cannot decrypt; on this machine only.
enum ClearMedia {
  /// Refuses every address beyond this machine, and every name, as that could lead there.
  static func check(_ effective: EffectiveConfiguration) throws(DaemonError) {
    let endpoints =
      [(Setting.listen, effective.configuration.listen)]
      + effective.configuration.peers.map { (.peer, $0) }
    for (setting, endpoint) in endpoints where endpoint.reach != .loopback {
      throw .setting(
        setting, origin: effective.origins[setting] ?? .builtIn,
        words: "is \(endpoint.text), but --clear is for tests on loopback addresses only")
    }
  }
}
