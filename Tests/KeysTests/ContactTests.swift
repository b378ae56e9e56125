import TestKit
import Testing

@testable import Keys

/// A contact's bounces, floods and losses, as tables of edges in milliseconds.
@Suite struct ContactTests {
  struct Story: CustomTestStringConvertible {
    let testDescription: String
    /// Milliseconds and what the contact says from then on.
    let edges: [(Double, Bool)]
    /// What counts, and when.
    let counts: [(Double, Contact.Change)]
  }

  static let stories: [Story] = [
    Story(
      testDescription: "a clean press", edges: [(0, true), (300, false)],
      counts: [(0, .pressed), (300, .released)]),
    Story(
      testDescription: "5 ms of bounces at both ends",
      edges: [
        (0, true), (0.3, false), (0.9, true), (2, false), (2.1, true), (4.9, false), (5, true),
        (300, false), (300.2, true), (302, false), (304, true), (305, false),
      ], counts: [(0, .pressed), (300, .released)]),
    Story(
      testDescription: "a press shorter than the bounce time ends with it",
      edges: [(0, true), (4, false)], counts: [(0, .pressed), (10, .released)]),
    Story(
      testDescription: "press and release at one moment, as some headsets do it",
      edges: [(0, true), (0, false)], counts: [(0, .pressed), (10, .released)]),
    Story(
      testDescription: "bounces that end as they began leave a press",
      edges: [(0, true), (3, false), (6, true), (400, false)],
      counts: [(0, .pressed), (400, .released)]),
    Story(
      testDescription: "two edges that say the same count once",
      edges: [(0, true), (50, true), (90, false), (140, false)],
      counts: [(0, .pressed), (90, .released)]),
    Story(
      testDescription: "a release that was the first to be heard of is none",
      edges: [(0, false), (20, true), (100, false)],
      counts: [(20, .pressed), (100, .released)]),
    Story(
      testDescription: "quick presses count each",
      edges: [(0, true), (20, false), (40, true), (60, false)],
      counts: [(0, .pressed), (20, .released), (40, .pressed), (60, .released)]),
    Story(
      testDescription: "a clock that goes back does not stop it",
      edges: [(100, true), (40, false), (200, true)],
      counts: [(100, .pressed), (110, .released), (200, .pressed)]),
  ]

  private static func milliseconds(_ value: Double) -> Duration { .microseconds(value * 1000) }

  /// Everything is looked at in time.
  @Test(arguments: stories) func `edges become presses`(story: Story) {
    var contact = Contact(quiet: .milliseconds(10))
    var counts: [(Duration, Contact.Change)] = []
    var level = false
    for (time, isClosed) in story.edges {
      let now = Self.milliseconds(time)
      if let deadline = contact.deadline, deadline < now {
        counts += contact.settle(level, at: deadline).map { (deadline, $0) }
      }
      level = isClosed
      counts += contact.take(isClosed, at: now).map { (now, $0) }
    }
    if let deadline = contact.deadline {
      counts += contact.settle(level, at: deadline).map { (deadline, $0) }
    }
    #expect(counts.map(\.1) == story.counts.map(\.1))
    #expect(counts.map(\.0) == story.counts.map { Self.milliseconds($0.0) })
  }

  /// All edges are told in one go, long after they were.
  @Test(arguments: stories) func `edges that are told late become the same presses`(story: Story) {
    var contact = Contact(quiet: .milliseconds(10))
    var counts = story.edges.flatMap {
      contact.take($0.1, at: Self.milliseconds($0.0))
    }
    counts += contact.settle(nil, at: .seconds(10))
    #expect(counts == story.counts.map(\.1))
  }

  @Test func `what it says in the end counts, also if an edge was lost`() {
    var contact = Contact(quiet: .milliseconds(10))
    #expect(contact.take(true, at: .zero) == [.pressed])
    #expect(contact.settle(false, at: .milliseconds(9)) == [])
    #expect(contact.settle(false, at: .milliseconds(10)) == [.released])
    #expect(contact.settle(true, at: .milliseconds(11)) == [])
  }

  @Test func `a device that goes releases its contact`() {
    var contact = Contact(quiet: .milliseconds(10))
    #expect(contact.lose() == [])
    _ = contact.take(true, at: .zero)
    #expect(contact.lose() == [.released])
    #expect(contact.deadline == nil)
    #expect(contact.take(true, at: .milliseconds(1)) == [.pressed])
  }

  @Test func `32 presses a second are a hand, more are a broken contact`() {
    var contact = Contact(quiet: .milliseconds(10))
    for press in 0..<200 {
      let now = Duration.milliseconds(32 * press)
      #expect(contact.take(true, at: now) == [.pressed])
      #expect(contact.take(false, at: now + .milliseconds(16)) == [.released])
    }
    var changes: [Contact.Change] = []
    for press in 0..<1000 {
      let now = Duration.seconds(10) + .milliseconds(25 * press)
      changes += contact.take(true, at: now)
      changes += contact.take(false, at: now + .milliseconds(12))
    }
    #expect(changes.count { $0 == .pressed } == Contact.mostPresses)
    #expect(changes.count { $0 == .released } == Contact.mostPresses)
    #expect(changes.last == .floods)
    #expect(!contact.isDown)
  }

  @Test func `a broken contact counts again once it was still for a second`() throws {
    var contact = Contact(quiet: .zero)
    for edge in 0..<200 { _ = contact.take(edge % 2 == 0, at: .milliseconds(edge)) }
    #expect(contact.isFlooding)
    #expect(contact.deadline == .milliseconds(1199))
    #expect(contact.settle(true, at: .milliseconds(1198)) == [])
    #expect(contact.settle(true, at: .milliseconds(1199)) == [.isCalm, .pressed])
    #expect(contact.take(false, at: .milliseconds(1300)) == [.released])
  }

  @Test(arguments: Seeds.first(100)) func `whatever comes, presses and releases take turns`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    var contact = Contact(quiet: .milliseconds(Int.random(in: 0...20, using: &random)))
    var isDown = false
    var now = Duration.zero
    for _ in 0..<20_000 {
      now += .microseconds(Int.random(in: -2000...60_000, using: &random))
      let changes =
        switch Int.random(in: 0..<20, using: &random) {
        case 0: contact.lose()
        case 1...6: contact.settle(Bool.random(using: &random), at: now)
        default: contact.take(Bool.random(using: &random), at: now)
        }
      for change in changes {
        switch change {
        case .pressed:
          #expect(!isDown)
          isDown = true
        case .released:
          #expect(isDown)
          isDown = false
        case .floods, .isCalm: #expect(!isDown)
        }
      }
      #expect(contact.isDown == isDown)
    }
  }
}
