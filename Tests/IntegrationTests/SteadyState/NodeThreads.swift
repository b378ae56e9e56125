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
    // Of libjack's threads only the one with the callback is scheduled in real time.
    let audio = Self.named(Self.jackName, of: process)
      .filter { sched_getscheduler($0) & 0xff == SCHED_FIFO }
    guard let callback = audio.first, audio.count == 1 else {
      throw .status(reason: "not one audio thread: \(audio)")
    }
    loop = try Self.loop(of: process)
    self.audio = callback
  }

  /// The media loop, which is there without JACK too.
  ///
  /// - Throws: `RigError.status` when there is none.
  static func loop(of process: Int32) throws(RigError) -> Int32 {
    guard let loop = named(loopName, of: process).first else {
      throw .status(reason: "process \(process) has no media loop")
    }
    return loop
  }

  private static func named(_ name: String, of process: Int32) -> [Int32] {
    let folder = "/proc/\(process)/task"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .compactMap(Int32.init).filter { text(ofFile: "\(folder)/\($0)/comm") == "\(name)\n" }
  }
}
