internal import Intercom
internal import Store

/// Keeps gain, pan and mute of each node, and the talk key.
typealias MixKeeper = Keeper<Mix, KeptMix>

extension MixKeeper {
  /// A keeper of what became of the mix of the former run.
  init(
    _ kept: KeptMix, problems: KeepingProblems, pace: Pace = Pace(),
    write: @escaping @Sendable (KeptMix) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: .mix, problems: problems, pace: pace, as: { KeptMix($0) }, write: write)
  }
}

extension Mix {
  /// The mix that was kept.
  init(_ kept: KeptMix) {
    self.init()
    isTalking = kept.isTalking
    peers = kept.peers.mapValues {
      PeerSettings(gainDecibels: $0.gainDecibels, pan: $0.pan, isMuted: $0.isMuted)
    }
  }
}

extension KeptMix {
  /// A mix to be kept.
  init(_ mix: Mix) {
    self.init(
      isTalking: mix.isTalking,
      peers: mix.peers.mapValues {
        Peer(gainDecibels: $0.gainDecibels, pan: $0.pan, isMuted: $0.isMuted)
      })
  }
}
