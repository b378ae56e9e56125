/// What the whole mesh has to do, and when: heartbeats, news of members, the search for lost ones, new keys.
///
/// Whoever walks many takes some of them at a time, all in turn: the places are kept here.
struct Agenda {
  /// When something is due, of the mesh or of one of its peers and connections; `max`: never again.
  private(set) var deadlineNanoseconds: Int64 = .min
  private var roundNanoseconds: Int64 = .min
  private var newsNanoseconds: Int64 = .max
  private var rollNanoseconds: Int64 = .max
  private var searchNanoseconds: Int64 = .max
  private var roundCount = 0
  private var nextKnock = 0
  private var nextSearch = 0

  /// Makes sure that a tick comes not after a moment.
  mutating func wake(atNanoseconds nanoseconds: Int64) {
    deadlineNanoseconds = min(deadlineNanoseconds, nanoseconds)
  }

  /// Begins with a first round.
  mutating func start(roundAtNanoseconds nanoseconds: Int64) {
    roundNanoseconds = nanoseconds
    deadlineNanoseconds = nanoseconds
  }

  /// Nothing is due any more but what is planned from here on.
  mutating func clearDeadline() { deadlineNanoseconds = .max }

  /// Wakes for what is planned.
  mutating func wakeForPlans() {
    wake(
      atNanoseconds: min(rollNanoseconds, roundNanoseconds, newsNanoseconds, searchNanoseconds))
  }

  /// Plans news of members.
  mutating func planNews(_ now: Int64) {
    newsNanoseconds = min(newsNanoseconds, now.saturatingAdding(MeshTimes.newsNanoseconds))
    wake(atNanoseconds: newsNanoseconds)
  }

  /// Plans new keys, as somebody has those in use who is a member no more.
  mutating func planRoll(_ now: Int64) {
    rollNanoseconds = min(rollNanoseconds, now.saturatingAdding(MeshTimes.rollNanoseconds))
    wake(atNanoseconds: rollNanoseconds)
  }

  /// Plans the search for whoever is lost.
  mutating func planSearch(_ now: Int64) {
    searchNanoseconds = min(searchNanoseconds, now.saturatingAdding(MeshTimes.searchNanoseconds))
    wake(atNanoseconds: searchNanoseconds)
  }

  /// Heartbeats and the search are due at once.
  mutating func hurry(_ now: Int64) {
    (roundNanoseconds, searchNanoseconds) = (now, now)
    wake(atNanoseconds: now)
  }

  /// Whether a round of heartbeats is due; plans the next.
  mutating func takeRound(_ now: Int64) -> Bool {
    guard now >= roundNanoseconds else { return false }
    roundNanoseconds = now.saturatingAdding(MeshTimes.heartbeatNanoseconds)
    roundCount &+= 1
    return true
  }

  mutating func takeNews(_ now: Int64) -> Bool { Self.take(&newsNanoseconds, now) }

  mutating func takeRoll(_ now: Int64) -> Bool { Self.take(&rollNanoseconds, now) }

  mutating func takeSearch(_ now: Int64) -> Bool { Self.take(&searchNanoseconds, now) }

  /// Whether the member at a place is told of an old one in this round.
  func isReminded(_ position: Int) -> Bool {
    (roundCount &+ position) % MeshLimits.reminderRounds == 0
  }

  /// Whose turn it is among those who are lost since long ago.
  mutating func takeKnocks(of count: Int) -> [Int] {
    Self.takeTurns(of: count, MeshLimits.knocks, from: &nextKnock)
  }

  /// Whose turn it is among those who were here a moment ago.
  mutating func takeSearches(of count: Int) -> [Int] {
    Self.takeTurns(of: count, MeshLimits.searches, from: &nextSearch)
  }

  private static func take(_ planned: inout Int64, _ now: Int64) -> Bool {
    guard now >= planned else { return false }
    planned = .max
    return true
  }

  private static func takeTurns(of count: Int, _ most: Int, from next: inout Int) -> [Int] {
    guard count > 0 else { return [] }
    let turns = (0..<min(count, most)).map { (next &+ $0) % count }
    next = (next &+ turns.count) % count
    return turns
  }
}
