internal import Dispatch
internal import Intercom
internal import Logging

/// Tells systemd how the daemon is: what it waits for, that sound runs, that the media loop turns, that it ends.
///
/// Everything happens on a queue of its own, whose thread is no worker of Swift's pool: a pool that is busy does not
/// look like a media loop that is stuck. The loop itself does nothing for it; its count of wake-ups is read.
final class ServiceReport: @unchecked Sendable {
  private let socket: NotifySocket
  private let log: Logger
  private let queue = DispatchQueue(label: "service-report")
  /// The queue's alone, as the next two.
  private var life: ServiceLife
  private var timer: (any DispatchSourceTimer)?
  private var hasComplained = false

  /// A report to the socket that systemd named; nil: it named none, or one that cannot be reached, which is logged.
  init?(_ environment: ServiceEnvironment, user: String, log: Logger) {
    guard let name = environment.notifySocket else { return nil }
    do throws(NotifySocket.Errno) {
      socket = try NotifySocket(name)
    } catch {
      log.event(
        .systemdUnreachable, "systemd cannot be notified",
        ["socket": "\(name)", "why": "\(error)"])
      return nil
    }
    self.log = log
    life = ServiceLife(watchdogMicroseconds: environment.watchdogMicroseconds, user: user)
  }

  /// Looks at a node's media loop from now on, until ``end()``; once.
  ///
  /// - Parameters:
  ///   - turns: how often the loop woke so far; must not wait for it.
  ///   - isSoundLost: as ``ServiceLife/look(turns:isSoundLost:)`` has it; must not wait either.
  func watch(
    turns: @escaping @Sendable () -> UInt64, isSoundLost: @escaping @Sendable () -> Bool
  ) {
    queue.sync {
      let interval = DispatchTimeInterval.microseconds(Int(life.lookMicroseconds))
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { [self] in
        tell(life.look(turns: turns(), isSoundLost: isSoundLost()))
      }
      timer.schedule(deadline: .now() + interval, repeating: interval)
      timer.activate()
      self.timer = timer
    }
  }

  /// Takes a node's event.
  ///
  /// Any thread; does not block.
  func add(_ event: IntercomEvent) {
    guard case .audio(let event) = event else { return }
    queue.async { self.tell(self.life.audio(event)) }
  }

  /// Tells that the daemon ends; returns when that is told.
  func end() {
    queue.sync {
      timer?.cancel()
      tell(life.end())
    }
  }

  private func tell(_ notice: String?) {
    guard let notice else { return }
    do throws(NotifySocket.Errno) {
      try socket.send(notice)
    } catch {
      guard !hasComplained else { return }
      hasComplained = true
      log.event(
        .systemdUnreachable, "systemd cannot be notified", ["why": "\(error)"])
    }
  }
}
