import CProbe
import Glibc

@testable import TestRig

/// A thread of a program under test that stands still, while the program's others go on.
///
/// Made, used and ended on one thread, as ptrace(2) wants it.
struct StoppedThread: ~Copyable {
  private let identifier: Int32

  /// Stops the thread.
  ///
  /// - Throws: `RigError.status` when the system does not let us.
  init(_ identifier: Int32) throws(RigError) {
    let code = rig_thread_stop(identifier)
    guard code == 0 else { throw .status(reason: "stopping a thread: \(systemMessage(-code))") }
    self.identifier = identifier
  }

  deinit { _ = rig_thread_continue(identifier) }
}
