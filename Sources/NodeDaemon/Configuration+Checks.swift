/// Rules between settings.
extension Configuration {
  /// The most payload that a datagram of 1200 bytes holds beside the headers of RTP, its extension
  /// and the encryption.
  static let payloadByteLimit = 1100

  /// Throws the first setting that does not go with the others.
  func check() throws(SettingConflict) {
    guard peers.count <= maximumPeers else {
      throw SettingConflict(
        .peer, "is given \(peers.count) times, but max-peers is \(maximumPeers)")
    }
    if listen.reach == .loopback, let far = peers.first(where: { $0.reach == .beyond }) {
      throw SettingConflict(
        .peer,
        """
        is \(far.text), which cannot be reached from the loopback address \(listen.text); add --listen \
        [::]:\(listen.port)
        """)
    }
    guard !peers.contains(listen) else {
      throw SettingConflict(.peer, "is \(listen.text), which is this node's own address")
    }
    let payloadBytes = Double(bitrateKilobits) * ptime.milliseconds / 8
    guard payloadBytes <= Double(Self.payloadByteLimit) else {
      let most = Int(Double(Self.payloadByteLimit) * 8 / ptime.milliseconds)
      throw SettingConflict(
        .bitrate,
        """
        is \(bitrateKilobits), too much for one packet of \(ptime.text) ms; with that ptime it can be \
        \(most) at most
        """)
    }
    guard effectiveBitrateMaximumKilobits >= bitrateKilobits else {
      throw SettingConflict(
        .bitrateMax, "is less than bitrate, which is \(bitrateKilobits); lower that too")
    }
    guard !(isViaPlugin && startsJack) else {
      throw SettingConflict(
        .viaPlugin,
        "needs a JACK server that has the plugin (jackd -I comlink), which start-jack does not start"
      )
    }
    if case .fixed(let milliseconds) = playoutDelay, milliseconds > playoutDelayMaximumMilliseconds
    {
      throw SettingConflict(
        .playoutDelay,
        "is more than playout-delay-max; raise that too")
    }
  }
}
