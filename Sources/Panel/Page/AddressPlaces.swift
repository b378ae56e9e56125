internal import ServiceLoop
internal import Synchronization

/// A bounded number of places, and of those of one address.
final class AddressPlaces: Sendable {
  /// One of them, for as long as it is held.
  final class Place: Sendable {
    private let places: AddressPlaces
    private let place: Places.Place
    private let address: String

    fileprivate init(_ places: AddressPlaces, _ place: Places.Place, _ address: String) {
      (self.places, self.place, self.address) = (places, place, address)
    }

    deinit { places.leave(address) }
  }

  private let places: Places
  private let mostOfAddress: Int
  private let taken = Mutex<[String: Int]>([:])

  init(_ count: Int, ofAddress mostOfAddress: Int) {
    places = Places(count)
    self.mostOfAddress = mostOfAddress
  }

  /// A place, if one is free for that address.
  func take(_ address: String) -> Place? {
    guard let place = places.take() else { return nil }
    let isFree = taken.withLock { taken in
      guard taken[address, default: 0] < mostOfAddress else { return false }
      taken[address, default: 0] += 1
      return true
    }
    return isFree ? Place(self, place, address) : nil
  }

  private func leave(_ address: String) {
    taken.withLock { taken in
      let left = (taken[address] ?? 1) - 1
      taken[address] = left > 0 ? left : nil
    }
  }
}
