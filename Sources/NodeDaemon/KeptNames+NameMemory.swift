internal import Intercom
internal import Store

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
