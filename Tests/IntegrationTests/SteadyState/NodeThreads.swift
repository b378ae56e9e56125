import Foundation
import Glibc

@testable import TestRig

/// The threads of a node whose behaviour is promised.
struct NodeThreads {
  /// What the media loop's thread calls itself.
  static let loopName = "comlink-loop"
  /// libjack's threads bear the name of the one that opened the client.
  static let jackName = "jack-session"

  /// The media loop.
  let loop: Int32
  /// The one that JACK calls once a period.
  let audio: Int32

  /// Finds them.
  ///
  /// - Throws: `RigError.status` when there are not exactly these two.
  init(of process: Int32) throws(RigError) {
    let folder = "/proc/\(process)/task"
    let threads = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .compactMap(Int32.init)
    func named(_ name: String) -> [Int32] {
      threads.filter { text(ofFile: "\(folder)/\($0)/comm") == "\(name)\n" }
    }
    // Of libjack's threads only the one with the callback is scheduled in real time.
    let audio = named(Self.jackName).filter { sched_getscheduler($0) & 0xff == SCHED_FIFO }
    guard let loop = named(Self.loopName).first, let callback = audio.first, audio.count == 1
    else { throw .status(reason: "no loop and audio thread among \(threads)") }
    self.loop = loop
    self.audio = callback
  }
}
