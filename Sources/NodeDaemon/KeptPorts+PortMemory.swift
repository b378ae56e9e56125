internal import Audio
internal import Store

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
