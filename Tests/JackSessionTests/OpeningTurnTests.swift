import Foundation
import Glibc
import System
import Testing
import TestJack

@testable import JackSession

/// One station of a user becomes a JACK client at a time.
struct OpeningTurnTests {
  /// A lock on a turn's file, as another station's.
  private final class OtherStation {
    let descriptor: Int32

    init(path: String) { descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

    deinit { letGo() }

    var takesTurn: Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func letGo() { flock(descriptor, LOCK_UN) }
  }

  private let path = "/dev/shm/comlink-turn-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

  @Test
  func `a turn keeps others off until it ends`() {
    defer { unsafe unlink(path) }
    let other = OtherStation(path: path)
    do {
      let turn = OpeningTurn(path: path)
      #expect(!other.takesTurn)
      withExtendedLifetime(turn) {}
    }
    #expect(other.takesTurn)
  }

  @Test
  func `a turn comes when another one ends`() async throws {
    defer { unsafe unlink(path) }
    let other = OtherStation(path: path)
    try #require(other.takesTurn)
    let path = path
    let taken = EventLog<Bool>()
    let thread = try BlockingThread(name: "turn") { _ in
      let turn = OpeningTurn(path: path, waitMilliseconds: 60_000)
      taken.append(!OtherStation(path: path).takesTurn)
      withExtendedLifetime(turn) {}
    }
    try thread.start()
    #expect(taken.events.isEmpty)
    other.letGo()
    #expect(await eventually { taken.events == [true] })
    _ = thread.stop(withinMilliseconds: 1_000)
  }

  @Test
  func `who never lets go keeps nobody for good, nor does a file that cannot be had`() {
    defer { unsafe unlink(path) }
    let other = OtherStation(path: path)
    #expect(other.takesTurn)
    _ = OpeningTurn(path: path, waitMilliseconds: 20)
    _ = OpeningTurn(path: "/proc/none/such", waitMilliseconds: 60_000)
    unsafe symlink(path, path + ".link")
    defer { unsafe unlink(path + ".link") }
    _ = OpeningTurn(path: path + ".link", waitMilliseconds: 60_000)
    #expect(other.takesTurn)
  }
}
