internal import Logging
internal import Panel
internal import Remote
internal import StatusSchema

/// Where the daemon tells its figures.
extension Daemon {
  /// Tells figures to Prometheus; nil: nobody asked for it, or it cannot be, which is logged and no reason not to talk.
  func startPanel(_ control: NodeControl, _ server: ControlServer) async -> Panel? {
    guard let place = effective.configuration.metrics else { return nil }
    do throws(PanelError) {
      return try await Panel(host: place.host, port: Int(place.port)) {
        var status = await control.status()
        status.control = server.counters
        return status
      }
    } catch {
      logger("comlinkd").event("metrics-failed", .error, "--metrics: \(error)")
      return nil
    }
  }
}
