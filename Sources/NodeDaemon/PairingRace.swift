internal import ControlPlane
internal import Mesh
internal import Synchronization

/// Opens a pairing connection to the first of a node's addresses that answers.
///
/// The next address is tried a quarter of a second after the last, beside it (RFC 8305 §5): one of a network that is
/// gone would keep the others waiting.
final class PairingRace: Sendable {
  private static let step = Duration.milliseconds(250)

  private let isOver = Mutex(false)

  /// The channel that came first, or why none came; later ones are closed.
  static func open(
    _ addresses: [NodeAddress], by plane: ControlPlane
  ) async -> Result<PairingChannel, ControlPlaneError>? {
    let race = PairingRace()
    let (outcomes, outcome) = AsyncStream.makeStream(
      of: Result<PairingChannel, ControlPlaneError>.self)
    let attempts = addresses.prefix(MeshLimits.addresses).enumerated().map { place, address in
      Task {
        try? await Task.sleep(for: Self.step * place)
        guard !Task.isCancelled else { return }
        outcome.yield(await race.connect(to: address, by: plane))
      }
    }
    var failure: Result<PairingChannel, ControlPlaneError>?
    var left = attempts.count
    guard left > 0 else { return nil }
    for await result in outcomes {
      left -= 1
      if case .success = result {
        for attempt in attempts { attempt.cancel() }
        return result
      }
      failure = failure ?? result
      if left == 0 { break }
    }
    return failure
  }

  private func connect(
    to address: NodeAddress, by plane: ControlPlane
  ) async -> Result<PairingChannel, ControlPlaneError> {
    do throws(ControlPlaneError) {
      let channel = try await plane.openPairing(to: address)
      let isFirst = isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
      guard isFirst else {
        channel.close()
        return .failure(.stopped)
      }
      return .success(channel)
    } catch {
      return .failure(error)
    }
  }
}
