internal import Audio
internal import EventLoop
internal import Intercom
internal import Media
internal import Remote

extension IntercomConfiguration {
  /// What the node is told, from the daemon's settings.
  init(_ settings: Configuration, listen: SocketAddress) {
    self.init(name: settings.name, listen: listen, softwareVersion: Version.current)
    jackServer = settings.jackServer
    jackClient = settings.jackClient
    connectsPhysicalPorts = settings.connectsPorts
    pluginPath = settings.isViaPlugin ? settings.pluginPath : nil
    framesPerPacket = settings.ptime.frames
    bitsPerSecond = settings.bitrateKilobits * 1000
    mostBitsPerSecond = settings.effectiveBitrateMaximumKilobits * 1000
    application = settings.effectiveApplication == .voip ? .voip : .lowDelay
    complexity = settings.complexity
    bandwidth = settings.bandwidth
    switch settings.playoutDelay {
    case .auto: playoutDelay = .auto
    case .fixed(let milliseconds):
      playoutDelay = .fixed(nanoseconds: Int64(milliseconds * 1_000_000))
    }
    playoutDelayMaximumNanoseconds = Int64(settings.playoutDelayMaximumMilliseconds * 1_000_000)
    lateShare = settings.lateRatePercent / 100
    sidetoneDecibels = settings.sidetoneDecibels
    voice = settings.voice
    maximumPeers = settings.maximumPeers
  }
}
