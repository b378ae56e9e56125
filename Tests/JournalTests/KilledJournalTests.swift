import CFaultyDisk
import Cryptography
import Messages
import TestKit
import Testing

@testable import Journal

/// A journal whose process is killed, whose power goes, or whose disk is full, at each write, sync, truncation and
/// removal of SQLite's, one after the other.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KilledJournalTests {
  private static let turns = 24

  private let folder: JournalFolder
  private let maker: ChangeMaker
  /// States after none, one, two … of the changes.
  private let states: [JournalState]

  init() throws {
    folder = try JournalFolder()
    let maker = try ChangeMaker(seed: 1)
    var states = [JournalState()]
    for turn in 0..<Self.turns {
      var state = states[turn]
      maker.apply(maker.changes(turn), to: &state)
      states.append(state)
    }
    self.maker = maker
    self.states = states.map(\.sorted)
  }

  /// Writes until the fault comes.
  ///
  /// - Returns: how many changes were answered as kept.
  private func write(faultAt step: Int32, _ fault: Int32) throws -> Int {
    #expect(faultydisk_arm(step, fault) == 0)
    guard
      let journal = try? Journal(
        path: folder.path, fileSystem: unsafe String(cString: faultydisk_name))
    else { return 0 }
    for turn in 0..<Self.turns {
      do {
        try journal.write(maker.changes(turn))
        // Pages get to the file itself before the log is full.
        if turn % 6 == 5 { try journal.database.run("PRAGMA wal_checkpoint(PASSIVE)") }
      } catch {
        return turn
      }
    }
    return Self.turns
  }

  private func check(_ kept: Int, _ label: String, mayHaveNext: Bool = true) throws {
    let journal = try Journal(path: folder.path)
    let found = try journal.load()
    let next = min(kept + 1, Self.turns)
    #expect(
      found == states[kept] || mayHaveNext && found == states[next], "\(label): \(kept) were kept")
    let sound = try journal.database.query("PRAGMA integrity_check") { $0.text(0) }
    #expect(sound == ["ok"], "\(label)")
    // And goes on from there.
    try journal.write([.runSeconds(77)])
    #expect(try journal.load().runSeconds == 77)
  }

  private func steps() throws -> Int {
    let kept = try write(faultAt: 0, 0)
    #expect(kept == Self.turns)
    let steps = Int(faultydisk_steps())
    try check(kept, "without a fault", mayHaveNext: false)
    try folder.remove()
    #expect(steps > 100)
    return steps
  }

  /// All steps by night; each seventh for a change, beginning at another one for each kind of fault.
  private func each(_ kind: Int32, _ body: (Int32) throws -> Void) throws {
    let stride = Seeds.areAll ? 1 : 7
    for step in Swift.stride(from: 1 + Int(kind), through: try steps(), by: stride) {
      try body(Int32(step))
      try folder.remove()
    }
  }

  @Test(arguments: [FAULTYDISK_KILLED, FAULTYDISK_TORN].map { Int32($0) })
  func `killed anywhere, it has all that was answered, and of the next all or nothing`(
    fault: Int32
  ) throws {
    try each(fault) { step in
      let kept = try write(faultAt: step, fault)
      #expect(faultydisk_has_ended() == 1)
      try check(kept, "step \(step)")
    }
  }

  @Test func `a power cut anywhere takes nothing that was answered`() throws {
    try each(Int32(FAULTYDISK_POWER_CUT)) { step in
      let kept = try write(faultAt: step, Int32(FAULTYDISK_POWER_CUT))
      faultydisk_lose_unsynced()
      try check(kept, "step \(step)")
    }
  }

  @Test func `a full disk is told, loses nothing, and takes more once there is room`() throws {
    try each(Int32(FAULTYDISK_FULL)) { step in
      let kept = try write(faultAt: step, Int32(FAULTYDISK_FULL))
      try check(kept, "step \(step)")
    }
  }

  /// What the syncs are for: without them the model loses what was answered.
  @Test func `a journal that is not synced loses what was answered`() throws {
    #expect(faultydisk_arm(0, Int32(FAULTYDISK_POWER_CUT)) == 0)
    do {
      let journal = try Journal(
        path: folder.path, fileSystem: unsafe String(cString: faultydisk_name))
      try journal.database.run("PRAGMA synchronous = OFF")
      for turn in 0..<Self.turns { try journal.write(maker.changes(turn)) }
      // As it is at this moment: closing would sync.
      faultydisk_lose_unsynced()
      _ = faultydisk_arm(1, Int32(FAULTYDISK_KILLED))
    }
    let found = (try? Journal(path: folder.path).load()) ?? JournalState()
    #expect(found != states[Self.turns])
  }
}
