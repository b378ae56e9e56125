import Audio
import Habits
import Lines
import StatusSchema
import Synchronization

/// Where talkers are heard around the head: where the user put them, or spread by line.
///
/// Loop thread only.
final class Surround {
  private let engine: AudioEngine
  private let reserve: HeadTableReserve
  private var table: HeadTable?
  /// Where slots are heard; nil: by their pan.
  private var placed = [HeadPlace?](repeating: nil, count: PeerSlot.count)
  /// Somebody is to have a place, but the table is not there, or for another rate.
  private var isWaiting = false
  /// There is no table to be had, which was told.
  private var hasFailed = false
  private let report: @Sendable (IntercomEvent) -> Void

  init(
    engine: AudioEngine, reserve: HeadTableReserve,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.engine, self.reserve, self.report) = (engine, reserve, report)
  }

  /// Where a slot is heard; nil: by its pan.
  func place(of slot: PeerSlot) -> HeadPlace? { placed[slot.index] }

  /// Puts a slot where it is to be heard, or leaves it to its pan.
  ///
  /// Allocates nothing.
  func apply(_ place: HeadPlace?, to slot: PeerSlot) {
    guard let place else {
      guard placed[slot.index] != nil else { return }
      placed[slot.index] = nil
      return engine.clearPlace(of: slot)
    }
    guard let table else {
      isWaiting = !hasFailed
      return
    }
    guard place != placed[slot.index] else { return }
    placed[slot.index] = place
    engine.setPlace(
      azimuthDegrees: place.azimuthDegrees, elevationDegrees: place.elevationDegrees, of: table,
      for: slot)
  }

  /// The table may be there now that was not to be had.
  func retry() { hasFailed = false }

  /// Follows JACK's rate, and fetches the table where it lacks.
  ///
  /// Allocates nothing, and does not wait.
  ///
  /// - Returns: whether there is a table now that was not there before: then all are to be put in their places.
  func follow(sampleRate: Int) -> Bool {
    if let table, table.sampleRate != sampleRate { (self.table, isWaiting) = (nil, true) }
    guard isWaiting, let looked = reserve.take(sampleRate: sampleRate) else { return false }
    isWaiting = false
    switch looked {
    case .failure(let missing):
      hasFailed = true
      report(.audioFault(.cannotPlace(missing.words)))
      return false
    case .success(let new):
      table = new
      for slot in placed.indices { placed[slot] = nil }
      return true
    }
  }

  /// Where a stream of a line is heard, if it is spread: the lines around the head, who is on one beside each other.
  ///
  /// - Parameters:
  ///   - pan: what the user set of the peer and the line, −1…1; 0: nothing.
  ///   - places: the lines' places, a bit each.
  static func spread(pan: Float, places: UInt64, slot: PeerSlot) -> HeadPlace {
    if pan != 0 { return HeadPlace(azimuthDegrees: 90 * Double(pan), elevationDegrees: 0) }
    let line = places == 0 ? 0 : places.trailingZeroBitCount % lineAzimuths.count
    let azimuth = lineAzimuths[line] + talkerAzimuths[slot.index % talkerAzimuths.count]
    return HeadPlace(azimuthDegrees: azimuth, elevationDegrees: 0)
  }

  /// Ahead, then left and right of it, behind, and in between.
  private static let lineAzimuths: InlineArray<8, Double> = [0, -90, 90, 180, -45, 45, -135, 135]
  private static let talkerAzimuths: InlineArray<5, Double> = [0, -20, 20, -40, 40]
}

/// The table of places, read on another thread, as that takes half a second.
final class HeadTableReserve: Sendable {
  typealias Looked = Result<HeadTable, HeadTable.Missing>

  private struct State {
    var looked: (sampleRate: Int, result: Looked)?
    var isLooking = false
  }

  private let state = Mutex(State())
  private let runAside: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let read: @Sendable (_ sampleRate: Int) -> Looked

  /// - Parameter runAside: runs its argument on another thread, or in tests at once.
  init(
    runAside: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    read: @escaping @Sendable (Int) -> Looked = { rate in
      Looked { () throws(HeadTable.Missing) in try HeadTable(sampleRate: rate) }
    }
  ) {
    (self.runAside, self.read) = (runAside, read)
  }

  /// The table of a rate, or why there is none; nil: it is being read.
  ///
  /// Loop thread; does not wait.
  func take(sampleRate: Int) -> Looked? {
    var found: Looked?
    let isToRead = state.withLockIfAvailable { state in
      if let looked = state.looked, looked.sampleRate == sampleRate { found = looked.result }
      defer { if found == nil { state.isLooking = true } }
      return found == nil && !state.isLooking
    }
    if isToRead == true { runAside { self.look(sampleRate: sampleRate) } }
    return found
  }

  /// The table of a rate, or why there is none, read now where it was not; for a thread that may wait.
  func looked(sampleRate: Int) -> Looked {
    let known = state.withLock { state in
      state.looked.flatMap { $0.sampleRate == sampleRate ? $0.result : nil }
    }
    if case .success? = known { return known ?? look(sampleRate: sampleRate) }
    return look(sampleRate: sampleRate)
  }

  @discardableResult private func look(sampleRate: Int) -> Looked {
    let result = read(sampleRate)
    state.withLock { state in
      state.looked = (sampleRate, result)
      state.isLooking = false
    }
    return result
  }
}
