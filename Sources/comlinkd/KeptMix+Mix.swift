internal import Intercom
internal import Logging
internal import Store

/// Keeps gain, pan and mute of each node, and the talk key, beyond this run.
///
/// A change is on the disk at once, the next a second later at the earliest: a fader that is moved costs a write a second,
/// and a power cut a second of its way.
actor MixKeeper {
  private let write: @Sendable (KeptMix) throws(StoreError) -> Void
  private let pause: @Sendable () async -> Void
  private let log: Logger
  private var kept: KeptMix
  private var isFailureTold = false
  private var task: Task<Void, Never>?

  /// - Parameters:
  ///   - kept: the mix of the former run.
  ///   - pause: from one write to the next; ends early where its task is cancelled.
  init(
    _ kept: KeptMix, log: Logger,
    pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) },
    write: @escaping @Sendable (KeptMix) throws(StoreError) -> Void
  ) {
    self.kept = kept
    self.log = log
    self.pause = pause
    self.write = write
  }

  /// Gives the node the mix of the former run, and keeps what becomes of it.
  func start(with node: Intercom) async {
    await node.restore(Mix(kept))
    follow(node.mixes)
  }

  /// Keeps each mix that comes, or those that came last.
  func follow(_ mixes: AsyncStream<Mix>) {
    task = Task {
      for await mix in mixes {
        keep(mix)
        await pause()
      }
    }
  }

  /// Keeps what there is at last, and ends.
  func stop(with mix: Mix) async {
    task?.cancel()
    await task?.value
    keep(mix)
  }

  private func keep(_ mix: Mix) {
    let mix = KeptMix(mix)
    guard mix != kept else { return }
    do throws(StoreError) {
      try write(mix)
      kept = mix
      isFailureTold = false
    } catch {
      if !isFailureTold { log.error("gain, pan, mute and talk hold for this run only: \(error)") }
      isFailureTold = true
    }
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
