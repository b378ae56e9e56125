import Foundation
import Synchronization

@testable import TestRig

/// A member of a node's that decrypts what the node sends to it, and passes it on to the port of a program that knows
/// RTP but nothing of nodes and keys.
final class MediaRelay: Sendable {
  /// What is passed on.
  enum Content { case media, mediaAndReports }

  private struct State {
    var isStopped = false
    var forwarded = 0
    var failure: RigError?
  }

  private let state = Mutex(State())
  private let hasEnded = DispatchSemaphore(value: 0)
  private let socket: ForeignSocket

  /// Starts to talk to the node on 127.0.0.1, which has to let everybody in.
  ///
  /// - Parameter echoes: whether it says whatever it hears.
  init(
    from node: NodeProcess, at nodePort: Int, to receiverPort: Int, _ content: Content = .media,
    echoes: Bool = false
  ) throws(RigError) {
    socket = try ForeignSocket()
    let thread = Thread { [self] in
      do throws(RigError) {
        let peer = try RawPeer("relay", meeting: node, port: nodePort, echoes: echoes) {
          [self] plain, isReport in
          guard content == .mediaAndReports || !isReport else { return }
          socket.send(plain, to: receiverPort)
          if !isReport { state.withLock { $0.forwarded += 1 } }
        }
        while !state.withLock({ $0.isStopped }) {
          peer.serve()
          pause(seconds: 0.002)
        }
      } catch {
        state.withLock { $0.failure = error }
      }
      hasEnded.signal()
    }
    thread.start()
  }

  /// Packets of sound passed on so far.
  var forwarded: Int { state.withLock { $0.forwarded } }

  /// Whence it sends.
  var port: Int { socket.port }

  /// Says goodbye to the node and ends.
  ///
  /// - Throws: why it could not talk to it.
  func stop() throws(RigError) {
    state.withLock { $0.isStopped = true }
    hasEnded.wait()
    hasEnded.signal()
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}
