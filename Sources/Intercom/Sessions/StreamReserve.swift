import Audio
import Media
import Synchronization

/// Streams made ahead for new peers, on another thread: making one would delay the others' audio.
///
/// None is made before anybody is in sight.
final class StreamReserve: Sendable {
  /// Spare streams; more peers at once wait some milliseconds.
  private static let mostSpares = 2

  /// Its stream is the reserve's first, then the loop's alone, and at last nobody's.
  private struct Spare: @unchecked Sendable {
    let stream: PeerStream
  }

  private struct State {
    var spares: [Spare] = []
    var isFilling = false
    var failure: AudioError?
  }

  private let state = Mutex(State())
  private let configuration: PeerStreamConfiguration
  let runAside: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// A reserve of streams of that configuration, empty.
  ///
  /// - Parameter runAside: runs its argument on another thread, or in tests at once.
  init(
    _ configuration: PeerStreamConfiguration,
    runAside: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { job in
      Task.detached(priority: .utility) { job() }
    }
  ) {
    self.configuration = configuration
    self.runAside = runAside
  }

  /// Begins to make streams, as a peer may connect soon.
  ///
  /// Loop thread; does not wait.
  func prepare() {
    let isToFill = state.withLockIfAvailable { state in
      defer { if state.spares.isEmpty { state.isFilling = true } }
      return state.spares.isEmpty && !state.isFilling
    }
    if isToFill == true { runAside { self.fill() } }
  }

  /// Takes a stream from the reserve; nil: none is ready yet.
  ///
  /// Loop thread; does not wait.
  ///
  /// - Throws: why none could be made; the next call tries again.
  func take() throws(AudioError) -> PeerStream? {
    var spare: Spare?
    var failure: AudioError?
    var isToFill = false
    _ = state.withLockIfAvailable { state in
      spare = state.spares.popLast()
      if spare == nil { failure = state.failure.take() }
      isToFill = !state.isFilling
      state.isFilling = true
    }
    if isToFill { runAside { self.fill() } }
    if let failure { throw failure }
    return spare?.stream
  }

  /// Frees a stream on another thread, as that takes time.
  ///
  /// Loop thread; does not wait.
  func discard(_ stream: consuming PeerStream) {
    let last = Spare(stream: stream)
    runAside { withExtendedLifetime(last) {} }
  }

  private func fill() {
    var isFull = false
    while !isFull {
      let made = Result { () throws(AudioError) in
        Spare(
          stream: PeerStream(
            configuration: configuration, decoder: try OpusDecoder(),
            resampler: try Resampler(ratio: 1)))
      }
      isFull = state.withLock { state in
        switch made {
        case .success(let spare): state.spares.append(spare)
        case .failure(let error): state.failure = error
        }
        state.isFilling = state.failure == nil && state.spares.count < Self.mostSpares
        return !state.isFilling
      }
    }
  }
}
