import ControlPlane
import Mesh
import Synchronization

/// Something a plane told.
enum Happening: Sendable {
  case event(MeshEvent)
  case fault(ControlFault)
  case pairing(PairingChannel)
}

/// Nothing of the kind came in time.
struct NothingCame: Error, CustomStringConvertible {
  let description: String
}

/// Keeps what a plane tells, and lets tests wait for it; what was waited for is taken out.
final class Recorder: ControlPlaneHandler {
  private struct Waiter {
    let id: Int
    let takes: @Sendable (Happening) -> Bool
    let continuation: CheckedContinuation<Happening?, Never>
  }

  private struct State {
    var happenings: [Happening] = []
    var waiters: [Waiter] = []
    var lastID = 0
    var held: [CheckedContinuation<Void, Never>] = []
    var isHolding = false
  }

  private let state = Mutex(State())

  func handle(_ event: MeshEvent) async {
    // Before: who waits for this event may hold those after it.
    let isHeld = state.withLock { $0.isHolding }
    record(.event(event))
    guard isHeld else { return }
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHolding { state.held.append(continuation) }
        return state.isHolding
      }
      if !isHeld { continuation.resume() }
    }
  }

  func note(_ fault: ControlFault) async { record(.fault(fault)) }

  func pair(_ channel: PairingChannel) async {
    record(.pairing(channel))
    _ = try? await first { if case .event(.leave) = $0 { true } else { nil } }
  }

  /// While held, no event is done with.
  func hold(_ isHolding: Bool) {
    let released = state.withLock { state in
      state.isHolding = isHolding
      defer { if !isHolding { state.held = [] } }
      return isHolding ? [] : state.held
    }
    for continuation in released { continuation.resume() }
  }

  /// Lets go of pairing channels.
  func letGo() { record(.event(.leave)) }

  private func record(_ happening: Happening) {
    let waiter = state.withLock { state -> Waiter? in
      guard let index = state.waiters.firstIndex(where: { $0.takes(happening) }) else {
        state.happenings.append(happening)
        return nil
      }
      return state.waiters.remove(at: index)
    }
    waiter?.continuation.resume(returning: happening)
  }

  /// What was told and nobody waited for.
  var rest: [Happening] { state.withLock { $0.happenings } }

  /// The first that matches, told already or to come within half a minute.
  func first<Value>(
    _ line: Int = #line, _ match: @escaping @Sendable (Happening) -> Value?
  ) async throws -> Value {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let guardian = Task {
      try await Task.sleep(for: .seconds(30))
      let late = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      late?.continuation.resume(returning: nil)
    }
    defer { guardian.cancel() }
    let happening = await withCheckedContinuation { continuation in
      let found = state.withLock { state -> Happening? in
        if let index = state.happenings.firstIndex(where: { match($0) != nil }) {
          return state.happenings.remove(at: index)
        }
        state.waiters.append(
          Waiter(id: id, takes: { match($0) != nil }, continuation: continuation))
        return nil
      }
      if let found { continuation.resume(returning: found) }
    }
    guard let value = happening.flatMap(match) else {
      throw NothingCame(description: "line \(line): only \(rest)")
    }
    return value
  }
}

extension Recorder {
  func accepted(_ line: Int = #line) async throws -> OpenedConnection {
    try await first(line) {
      if case .event(.accepted(let opened)) = $0 { opened } else { nil }
    }
  }

  func dialled(_ attempt: AttemptID, _ line: Int = #line) async throws -> OpenedConnection {
    try await first(line) {
      if case .event(.dialled(attempt, let opened)) = $0 { opened } else { nil }
    }
  }

  func failed(_ attempt: AttemptID, _ line: Int = #line) async throws {
    try await first(line) { if case .event(.failed(attempt)) = $0 { () } else { nil } }
  }

  func message(_ line: Int = #line) async throws -> Message {
    try await first(line) {
      if case .event(.received(let message, _)) = $0 { message } else { nil }
    }
  }

  func closed(_ connection: ConnectionID, _ line: Int = #line) async throws {
    try await first(line) { if case .event(.closed(connection)) = $0 { () } else { nil } }
  }

  func proving(_ line: Int = #line) async throws -> Set<ConnectionID> {
    try await first(line) {
      if case .event(.groupsChanged(let proving)) = $0 { proving } else { nil }
    }
  }

  func fault(_ line: Int = #line) async throws -> ControlFault {
    try await first(line) { if case .fault(let fault) = $0 { fault } else { nil } }
  }

  func fault(_ reason: ControlFault.Reason, _ line: Int = #line) async throws {
    try await first(line) {
      if case .fault(let fault) = $0, fault.reason == reason { () } else { nil }
    }
  }

  func pairing(_ line: Int = #line) async throws -> PairingChannel {
    try await first(line) { if case .pairing(let channel) = $0 { channel } else { nil } }
  }
}
