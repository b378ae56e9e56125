internal import Dispatch
internal import Synchronization

/// Tells when the machine is called otherwise: by DHCP, or by hostnamectl.
///
/// Asked for every few seconds: what the kernel would tell by poll(2) is in /proc/sys, which a service need not see.
final class HostNameWatch: Sendable {
  private static let interval = DispatchTimeInterval.seconds(5)

  /// Any thread may use it, which Dispatch's module does not say.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  /// Watches until ``stop()``.
  ///
  /// - Parameters:
  ///   - interval: between two looks.
  ///   - read: the machine's name.
  ///   - changed: told the name at once, as it may have changed since somebody read it, and then each other one; called
  ///     on a queue of Dispatch's.
  init(
    interval: DispatchTimeInterval = HostNameWatch.interval,
    read: @escaping @Sendable () -> String = { Surroundings.ownHostName },
    changed: @escaping @Sendable (String) -> Void
  ) {
    let last = Mutex<String?>(nil)
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "host-name-watch"))
    timer.setEventHandler {
      let name = read()
      let isAnother = last.withLock { last in
        defer { last = name }
        return last != name
      }
      if isAnother { changed(name) }
    }
    timer.schedule(deadline: .now(), repeating: interval, leeway: .seconds(1))
    unsafe self.timer = timer
    timer.activate()
  }

  /// Watches no longer.
  func stop() { unsafe timer.cancel() }
}

/// What this node calls itself, as it may change while it runs.
final class NodeName: Sendable {
  private let text: Mutex<String>

  init(_ text: String) { self.text = Mutex(text) }

  /// The name now.
  var current: String { text.withLock { $0 } }

  /// Takes another; false where it is the same.
  func change(to name: String) -> Bool {
    text.withLock { text in
      defer { text = name }
      return text != name
    }
  }
}
