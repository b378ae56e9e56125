internal import Mesh
internal import Synchronization

/// The events for a ``ControlPlaneHandler``, in order, and the counters of faults.
///
/// Given from the event loop, taken by one task. Bounded by those who give:
/// of each connection one message waits at a time.
final class EventQueue: Sendable {
  /// An event.
  private enum Item: Sendable {
    case event(MeshEvent, whenHandled: @Sendable () -> Void)
    case fault(ControlFault)
    case pairing(PairingChannel)
  }

  /// Faults that wait to be told; further ones are counted only.
  private static let maximumFaults = 256

  private let stream: AsyncStream<Item>
  private let continuation: AsyncStream<Item>.Continuation
  private let waitingFaults = Atomic<Int>(0)
  private let counts = Mutex<[ControlFault.Reason: Int]>([:])

  init() {
    (stream, continuation) = AsyncStream.makeStream(of: Item.self)
  }

  /// How often what went wrong.
  var faultCounts: [ControlFault.Reason: Int] { counts.withLock { $0 } }

  /// Gives an event; `whenHandled` is called on any thread.
  func give(_ event: MeshEvent, whenHandled: @escaping @Sendable () -> Void = {}) {
    continuation.yield(.event(event, whenHandled: whenHandled))
  }

  /// Counts a fault, and gives it while not too many wait.
  func note(_ fault: ControlFault) {
    counts.withLock { $0[fault.reason, default: 0] += 1 }
    guard waitingFaults.load(ordering: .relaxed) < Self.maximumFaults else { return }
    waitingFaults.add(1, ordering: .relaxed)
    continuation.yield(.fault(fault))
  }

  /// Gives a pairing that somebody began.
  func pair(_ channel: PairingChannel) { continuation.yield(.pairing(channel)) }

  /// Nothing comes after this.
  func finish() { continuation.finish() }

  /// Delivers all events until the end.
  func run(_ handler: any ControlPlaneHandler) async {
    for await item in stream {
      switch item {
      case .event(let event, let whenHandled):
        await handler.handle(event)
        whenHandled()
      case .fault(let fault):
        waitingFaults.subtract(1, ordering: .relaxed)
        await handler.note(fault)
      case .pairing(let channel):
        Task {
          await handler.pair(channel)
          channel.close()
        }
      }
    }
  }
}
