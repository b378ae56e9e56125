internal import Panel
internal import Remote
internal import Store

/// Keeps who is signed in at the page, or has a token for it.
typealias PageKeeper = Keeper<[PageRecord], KeptPage>

extension PageKeeper {
  /// A keeper of what became of the sign-ins of the former run.
  init(
    _ kept: KeptPage, of matter: KeepingProblems.Matter = .page, problems: KeepingProblems,
    pace: Pace = Pace(),
    write: @escaping @Sendable (KeptPage) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: matter, problems: problems, pace: pace, as: { KeptPage($0) }, write: write)
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
