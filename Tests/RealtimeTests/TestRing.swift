import CRealtime

/// A ring of the C target, owned.
///
/// Unchecked: its one producer and one consumer are the tests' care.
@safe final class TestRing: @unchecked Sendable {
  private let ring: OpaquePointer

  /// `nil` when the C side refuses the capacity.
  init?(capacityFrames: UInt32) {
    guard let ring = unsafe rt_ring_create(capacityFrames) else { return nil }
    unsafe self.ring = ring
  }

  deinit {
    unsafe rt_ring_destroy(ring)
  }

  var fill: Int { unsafe Int(rt_ring_fill(ring)) }
  var errors: Int { unsafe Int(rt_ring_errors(ring)) }

  /// Places both indices; nobody else may be at the ring.
  func setIndices(write: UInt32, read: UInt32) {
    unsafe rt_ring_set_indices(ring, write, read)
  }

  /// The number of frames that fitted.
  func write(_ frames: [Float]) -> Int {
    unsafe Int(rt_ring_write(ring, frames, UInt32(frames.count)))
  }

  /// Up to `count` frames.
  func read(_ count: Int) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: count) { frames, taken in
      guard let start = frames.baseAddress else { return }
      taken = unsafe Int(rt_ring_read(ring, start, UInt32(count)))
    }
  }
}
