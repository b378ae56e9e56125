import Synchronization

@testable import Panel

/// A node's guests, of which only what happens is written down.
final class Guests: GuestHost {
  /// A guest's place.
  final class Place: GuestPlace {
    let application: GuestApplication
    let deliver: @Sendable ([UInt8]) -> Void
    private let seen = Mutex(([[UInt8]](), [[String]](), false))

    init(_ application: GuestApplication, deliver: @escaping @Sendable ([UInt8]) -> Void) {
      (self.application, self.deliver) = (application, deliver)
    }

    var frames: [[UInt8]] { seen.withLock { $0.0 } }
    /// The keys, after each change.
    var keys: [[String]] { seen.withLock { $0.1 } }
    var hasLeft: Bool { seen.withLock { $0.2 } }

    func take(_ octets: [UInt8]) { seen.withLock { $0.0.append(octets) } }
    func talk(on keys: [String]) { seen.withLock { $0.1.append(keys) } }
    func leave() async { seen.withLock { $0.2 = true } }
  }

  private let made = Mutex<[Place]>([])
  /// Why nobody is let in; nil: all are.
  let refusal = Mutex<String?>(nil)

  var places: [Place] { made.withLock { $0 } }

  func admit(
    _ guest: GuestApplication, deliver: @escaping @Sendable ([UInt8]) -> Void
  ) async throws(GuestRefusal) -> any GuestPlace {
    if let words = refusal.withLock({ $0 }) { throw GuestRefusal(words) }
    let place = Place(guest, deliver: deliver)
    made.withLock { $0.append(place) }
    return place
  }
}
