import Dispatch
import Glibc
import Synchronization

/// What must be undone when the program ends, also by Ctrl-C: children, folders, JACK's leftovers.
///
/// Owners register an action and withdraw it when they have done it themselves. The actions run in
/// reverse order, on any thread, once.
public final class Cleanup: Sendable {
  /// The list of the whole process.
  public static let shared = Cleanup()

  private struct State {
    var actions: [(key: Int, action: @Sendable () -> Void)] = []
    var nextKey = 0
    var isEnding = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "cleanup")

  private init() {}

  /// Adds an action; the key takes it back.
  public func add(_ action: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextKey += 1
      state.actions.append((state.nextKey, action))
      return state.nextKey
    }
  }

  /// Forgets an action, run or not.
  public func remove(_ key: Int) {
    state.withLock { $0.actions.removeAll { $0.key == key } }
  }

  /// Runs and forgets all actions, the youngest first.
  public func run() {
    while let last = state.withLock({ $0.actions.popLast() }) { last.action() }
  }

  /// Does not return once a signal ends the process: what fails from then on fails by the cleaning up.
  public func holdWhileEnding() {
    while state.withLock({ $0.isEnding }) { sleep(1) }
  }

  /// From now on SIGINT, SIGTERM and SIGHUP run the actions and end the process with 128 + signal.
  public func catchSignals() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [self] in
        state.withLock { $0.isEnding = true }
        print("\nstopping and cleaning up ...")
        run()
        exit(128 + number)
      }
      source.activate()
      // A source is kept alive by its handler, which here is for the life of the process.
      source.setCancelHandler { source.setEventHandler(handler: nil) }
    }
  }
}
