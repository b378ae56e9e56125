internal import EventLoop

extension EffectiveConfiguration {
  /// Refuses every address beyond this machine, and every name, as that could lead there.
  func checkForRehearsal() throws(DaemonError) {
    let endpoints =
      [(Setting.listen, configuration.listen)] + configuration.peers.map { (.peer, $0) }
    for (setting, endpoint) in endpoints where endpoint.reach != .loopback {
      throw .setting(
        setting, origin: origins[setting] ?? .builtIn,
        words: "is \(endpoint.text), but this program is for tests on loopback addresses only")
    }
  }
}
