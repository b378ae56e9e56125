public import StatusSchema
internal import Synchronization

/// Serves the control socket: requests of `comlink` and of anything else that speaks its lines.
///
/// It has one thread of its own and can never hold up anybody else; requests are handled on Swift's
/// ordinary pool. It serves from `init` until ``stop()``. What a client can do wrong (bad lines, long
/// lines, slow reading, leaving at any moment) is answered, counted and bounded by ``ControlLimits``.
public final class ControlServer: Sendable {
  /// Until the server is stopped; clients that nobody has accepted yet hang on it.
  private let listener: Mutex<ControlListener?>
  private let mailbox: ControlMailbox
  private let thread: ServiceThread

  /// Puts the socket at `path` and starts serving.
  ///
  /// The socket gets mode 0660, its directory (made if missing) 0750. A socket that nobody answers and
  /// that belongs to this user is replaced. Throws in words for a person if another daemon answers
  /// there, something else is in the way, or the directory cannot be used or trusted.
  public init(
    path: String, handler: any ControlHandler, limits: ControlLimits = ControlLimits()
  ) throws(RemoteError) {
    let (listener, mailbox) = (try ControlListener(path: path), try ControlMailbox())
    do throws(RemoteError) {
      thread = try ServiceThread(name: "control") {
        var loop = ControlLoop(
          listener: listener, mailbox: mailbox, handler: handler, limits: limits)
        loop.run()
      }
    } catch {
      listener.remove()
      throw error
    }
    self.listener = Mutex(listener)
    self.mailbox = mailbox
  }

  deinit { stop() }

  /// What happened so far.
  ///
  /// Any thread.
  public var counters: ControlStatus { mailbox.counters }

  /// Stops serving and removes the socket; the second call does nothing.
  ///
  /// Any thread; returns when the server's thread has ended (milliseconds: it waits for no client and
  /// no handler). Requests that are with the handler still get done, unanswered.
  public func stop() {
    let listener = listener.withLock { $0.take() }
    guard let listener else { return }
    listener.remove()
    mailbox.stop()
    thread.join()
  }
}

/// Who carries out what comes in on the control socket.
public protocol ControlHandler: Sendable {
  /// Carries out a request.
  ///
  /// Called on Swift's ordinary pool, one request at a time per client, several clients at once. It
  /// may take its time: only the client that asked waits. Of a test its task is cancelled when that client goes.
  func handle(_ request: ControlRequest) async -> ControlResponse
}

/// How much of a node its control socket may take.
public struct ControlLimits: Sendable, Hashable {
  /// The longest request, bytes, without its line end.
  public var lineBytes = 64 * 1024
  /// Clients at a time; the next is answered with words and dropped.
  public var clients = 16
  /// How long a client may be idle, and how long it may take to send one line or to take one answer.
  public var idleTimeout = Duration.seconds(30)

  /// The limits that `STATUS.md` names.
  public init() {}
}
