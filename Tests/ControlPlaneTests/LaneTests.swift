import Cryptography
import Mesh
import Synchronization
import Testing

@testable import ControlPlane

/// The application lane over real connections.
@Suite struct LaneTests {
  /// What a consumer got.
  private final class Inbox: Sendable {
    private let messages = Mutex<[LaneMessage]>([])
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let isOpen = Mutex(true)

    init(isOpen: Bool = true) {
      self.isOpen.withLock { $0 = isOpen }
      (arrivals, arrival) = AsyncStream.makeStream()
    }

    var all: [LaneMessage] { messages.withLock { $0 } }

    func take(_ message: LaneMessage) async {
      messages.withLock { $0.append(message) }
      arrival.yield()
      // Held: as a consumer that never has done.
      guard isOpen.withLock({ $0 }) else {
        try? await Task.sleep(for: .seconds(1000))
        return
      }
    }

    /// Waits for so many more.
    func wait(for count: Int) async {
      var left = count
      for await _ in arrivals {
        left -= 1
        if left == 0 { return }
      }
    }
  }

  /// Connects two, each as the other's member.
  private func join(_ one: Station, _ other: Station) async throws -> (
    own: ConnectionID, other: ConnectionID
  ) {
    let (own, others) = try await one.connect(to: other)
    one.plane.raiseLimit(of: own.connection)
    other.plane.raiseLimit(of: others.connection)
    return (own.connection, others.connection)
  }

  @Test func `a message goes both ways, and is acknowledged by the consumer`() async throws {
    let (one, other) = (try Station(), try Station())
    let (inbox, otherInbox) = (Inbox(), Inbox())
    one.plane.lane.open(.text) { await inbox.take($0) }
    other.plane.lane.open(.text) { await otherInbox.take($0) }
    try await withStations(one, other) {
      _ = try await join(one, other)
      try await one.plane.lane.deliver([1, 2, 3], on: .text, to: other.id, sequence: 5)
      try await other.plane.lane.deliver([4], on: .text, to: one.id, sequence: 9)
      #expect(
        otherInbox.all == [
          LaneMessage(
            key: LaneMessage.Key(sender: one.id, channel: .text, sequence: 5), octets: [1, 2, 3])
        ])
      #expect(inbox.all.map(\.octets) == [[4]])
      await #expect(throws: LaneError.notMember) {
        try await one.plane.lane.send([1], on: .text, to: TestIdentity().id, sequence: 1)
      }
      await #expect(throws: LaneError.wrongLength(byteCount: 0, maximum: 16 * 1024)) {
        try await one.plane.lane.send([], on: .text, to: other.id, sequence: 1)
      }
    }
    await #expect(throws: LaneError.stopped) {
      try await one.plane.lane.send([1], on: .text, to: other.id, sequence: 1)
    }
    #expect(one.plane.faultCounts.isEmpty && other.plane.faultCounts.isEmpty)
  }

  @Test
  func `the mesh's messages overtake a file, and a busy consumer holds up neither them nor text`()
    async throws
  {
    let (one, other) = (try Station(), try Station())
    let (files, texts) = (Inbox(isOpen: false), Inbox())
    other.plane.lane.open(.files) { await files.take($0) }
    other.plane.lane.open(.text) { await texts.take($0) }
    try await withStations(one, other) {
      let (own, _) = try await join(one, other)
      let file = [UInt8](repeating: 9, count: 60_000)
      for sequence: UInt64 in 0..<4 {
        try await one.plane.lane.send(file, on: .files, to: other.id, sequence: sequence)
      }
      // Two seconds at the rate that the lane begins with.
      one.plane.send(.invite, on: own)
      #expect(try await other.recorder.message() == .invite)
      #expect(files.all.isEmpty)
      await files.wait(for: 1)
      try await one.plane.lane.deliver([1], on: .text, to: other.id, sequence: 1)
      one.plane.send(.accept, on: own)
      #expect(try await other.recorder.message() == .accept)
      #expect(files.all.count == 1, "the first is in the consumer's hand")
    }
  }

  @Test func `order and integrity outlast three reconnects in the middle of messages`() async throws
  {
    let (one, other) = (try Station(), try Station())
    let inbox = Inbox()
    other.plane.lane.open(.files) { await inbox.take($0) }
    let count = 40
    func part(_ number: Int) -> [UInt8] {
      (0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* (number + 3) >> 3) }
    }
    try await withStations(one, other) {
      var (own, others) = try await join(one, other)
      let (lane, id) = (one.plane.lane, other.id)
      let sending = Task {
        for number in 0..<count {
          try await lane.send(part(number), on: .files, to: id, sequence: UInt64(number))
        }
        try await lane.deliver([1], on: .files, to: id, sequence: UInt64(count))
      }
      for round in 1...3 {
        await inbox.wait(for: 3 * round)
        // Whichever end ends it.
        if round == 2 { other.plane.close(others) } else { one.plane.close(own) }
        (own, others) = try await join(one, other)
      }
      try await sending.value
      #expect(inbox.all.map(\.key.sequence) == (0...count).map(UInt64.init))
      for (number, message) in inbox.all.dropLast().enumerated() {
        #expect(message.octets == part(number), "\(number)")
      }
    }
    #expect(one.plane.faultCounts.isEmpty && other.plane.faultCounts.isEmpty)
  }

  @Test func `who breaks a rule is refused with words, and its other messages are still taken`()
    async throws
  {
    let station = try Station()
    station.plane.lane.open(.text) { _ in }
    try await withStations(station) {
      let stranger = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      stranger.proveNothing()
      let opened = try await station.recorder.accepted()
      station.plane.raiseLimit(of: opened.connection)
      var messages = stranger.messages().makeAsyncIterator()
      func next() async -> LaneFrame? {
        while let message = await messages.next() {
          if case .lane(let frame) = message { return frame }
        }
        return nil
      }
      guard case .resume? = await next() else {
        Issue.record("no resume")
        return
      }
      stranger.send(.lane(.resume(LaneResume(own: 3, other: 0))))
      #expect(await next() == .receipt(LaneReceipt(channel: 3, received: 0, taken: 0)))
      let chunk = Message.lane(
        .chunk(LaneChunk(channel: 3, position: 7, octets: [1, 1, 1])))
      stranger.send(chunk)
      #expect(await next() == .refusal(words: "a chunk out of order"))
      let fault = try await station.recorder.fault()
      #expect(fault.reason == .lane && fault.words.hasSuffix("a chunk out of order"), "\(fault)")
      stranger.send(.invite)
      #expect(try await station.recorder.message() == .invite)
      for _ in 0..<2100 { stranger.send(chunk) }
      try await station.recorder.fault(.laneFlood)
      try await station.recorder.closed(opened.connection)
      try await stranger.ended()
    }
  }

  @Test func `before it is a member's, a connection's lane means nothing`() async throws {
    let station = try Station()
    station.plane.lane.open(.text) { _ in Issue.record("taken") }
    try await withStations(station) {
      let stranger = try await Stranger(station.plane.localAddress, .node(TestIdentity()))
      stranger.proveNothing()
      _ = try await station.recorder.accepted()
      stranger.send(.lane(.resume(LaneResume(own: 3, other: 0))))
      stranger.send(.lane(.chunk(LaneChunk(channel: 3, position: 0, octets: [1, 1, 1]))))
      stranger.send(.invite)
      #expect(try await station.recorder.message() == .invite)
      stranger.close()
    }
    #expect(station.plane.faultCounts.isEmpty)
  }
}
