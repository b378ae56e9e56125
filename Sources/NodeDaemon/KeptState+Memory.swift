internal import Intercom
internal import JackSession
internal import Lines
internal import Panel
internal import Remote
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

/// Keeps what members are called.
typealias NameKeeper = Keeper<NameMemory, KeptNames>

extension NameKeeper {
  /// A keeper of what became of the names of the former run.
  init(
    _ kept: KeptNames, problems: KeepingProblems, pace: Pace = Pace(),
    write: @escaping @Sendable (KeptNames) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: .names, problems: problems, pace: pace, as: { KeptNames($0) }, write: write)
  }
}

extension NameMemory {
  /// The names that were kept.
  init(_ kept: KeptNames) {
    self.init(entries: kept.entries.mapValues { Entry(wish: $0.wish, name: $0.name) })
  }
}

extension KeptNames {
  /// Names to be kept.
  init(_ memory: NameMemory) {
    self.init(entries: memory.entries.mapValues { Entry(wish: $0.wish, name: $0.name) })
  }
}

/// Keeps who is signed in at the page.
typealias PageKeeper = Keeper<[PageRecord], KeptPage>

extension PageKeeper {
  /// A keeper of what became of the sign-ins of the former run.
  init(
    _ kept: KeptPage, problems: KeepingProblems, pace: Pace = Pace(),
    write: @escaping @Sendable (KeptPage) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: .page, problems: problems, pace: pace, as: { KeptPage($0) }, write: write)
  }
}

extension KeptPage {
  /// Sign-ins to be kept.
  init(_ records: [PageRecord]) {
    self.init(
      records.map {
        Entry(
          id: $0.id, digest: $0.digest, rights: $0.rights.rawValue, name: $0.name,
          unixSeconds: $0.unixSeconds)
      })
  }

  /// The sign-ins that were kept; those with a right that is none are left out.
  var records: [PageRecord] {
    entries.compactMap { entry in
      PageRights(rawValue: entry.rights).map { rights in
        PageRecord(
          id: entry.id, digest: entry.digest, rights: rights, name: entry.name,
          unixSeconds: entry.unixSeconds)
      }
    }
  }
}

extension LineSettings {
  /// The lines and keys that were kept; none where they make no sense.
  init(kept: KeptLines) { self = LineSettings(kept.octets) ?? LineSettings() }
}

/// Keeps which of our ports are connected with what.
typealias PortKeeper = Keeper<PortMemory, KeptPorts>

extension PortKeeper {
  /// A keeper of what became of the connections of the former run.
  init(
    _ kept: KeptPorts, problems: KeepingProblems, pace: Pace = Pace(),
    write: @escaping @Sendable (KeptPorts) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: .ports, problems: problems, pace: pace, as: { KeptPorts($0) }, write: write)
  }
}

extension PortMemory {
  /// The connections that were kept.
  init(_ kept: KeptPorts) {
    self.init(
      entries: kept.connections.map {
        Entry(source: $0.source, destination: $0.destination, isAutomatic: $0.isAutomatic)
      }, isCaptureCut: kept.isCaptureCut, isPlaybackCut: kept.isPlaybackCut)
  }
}

extension KeptPorts {
  /// Connections to be kept.
  init(_ memory: PortMemory) {
    self.init(
      connections: memory.entries.map {
        Connection(source: $0.source, destination: $0.destination, isAutomatic: $0.isAutomatic)
      }, isCaptureCut: memory.isCaptureCut, isPlaybackCut: memory.isPlaybackCut)
  }
}
