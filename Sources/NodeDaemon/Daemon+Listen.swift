internal import EventLoop

/// Where the daemon listens.
extension Daemon {
  /// The address of `--listen`.
  ///
  /// - Returns: nil when the end came first.
  func listenAddress(before ending: Task<Void, Never>) async throws(DaemonError) -> SocketAddress? {
    let settings = effective.configuration
    let origin = effective.origins[.listen] ?? .builtIn
    let address: SocketAddress?
    switch await addresses(of: settings.listen, before: ending) {
    case nil: return nil
    case .success(let addresses): address = addresses.first
    case .failure(let error):
      throw .setting(.listen, origin: origin, words: "cannot be used: \(error)")
    }
    guard let address else {
      throw .setting(.listen, origin: origin, words: "has no address: \(settings.listen.text)")
    }
    return address
  }

  /// A look-up can take many seconds and cannot be called off: where the end comes first, it is left behind.
  private func addresses(
    of listen: Endpoint, before ending: Task<Void, Never>
  ) async -> Result<[SocketAddress], AddressError>? {
    let (outcomes, continuation) =
      AsyncStream<Result<[SocketAddress], AddressError>?>.makeStream()
    Task {
      await ending.value
      continuation.yield(nil)
    }
    Task {
      do throws(AddressError) {
        continuation.yield(.success(try await resolve(listen.text)))
      } catch {
        continuation.yield(.failure(error))
      }
    }
    for await outcome in outcomes { return outcome }
    return nil
  }
}
