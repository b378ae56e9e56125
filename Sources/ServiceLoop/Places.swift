internal import Synchronization

/// A bounded number of places; each is free again when whoever has it lets go of its ``Place``.
package final class Places: Sendable {
  /// One of the places, for as long as it is held.
  package final class Place: Sendable {
    private let places: Places

    fileprivate init(_ places: Places) { self.places = places }

    deinit { places.taken.subtract(1, ordering: .relaxed) }
  }

  private let count: Int
  private let taken = Atomic(0)

  /// So many places, all free.
  package init(_ count: Int) { self.count = count }

  /// A place, if one is free.
  ///
  /// Any thread.
  package func take() -> Place? {
    guard taken.add(1, ordering: .relaxed).newValue <= count else {
      taken.subtract(1, ordering: .relaxed)
      return nil
    }
    return Place(self)
  }
}
