import Synchronization

@testable import ControlSocket
@testable import Remote

/// A handler that takes until it is told to end or its task is cancelled, and tells what becomes of requests.
final class Patience: ControlHandler {
  private let (events, told) = AsyncStream.makeStream(of: String.self)
  private let isEnding = Atomic(false)

  func handle(_ request: ControlRequest) async -> ControlResponse {
    told.yield("began \(request)")
    while !isEnding.load(ordering: .relaxed), !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(1))
    }
    // What was told to end says so if it is no test: those are answered.
    if Task.isCancelled {
      told.yield("broken off \(request)")
    } else if !request.endsWithItsClient {
      told.yield("done \(request)")
    }
    return .ok
  }

  /// The next thing that happened.
  func next() async -> String? {
    for await event in events { return event }
    return nil
  }

  func end() { isEnding.store(true, ordering: .relaxed) }
}
