import Audio
import Cryptography
import Media
import Mesh
import RTP
import StatusSchema
import TestKit
import Testing

@testable import EventLoop
@testable import Intercom

/// What encryption, and a recorder, cost the heap once a talk is under way: nothing.
///
/// In an optimised build: otherwise generics of the standard library put temporaries there.
///
/// One case at a time: what is counted is every thread's that is watched.
@Suite(
  .serialized,
  .enabled(
    if: !AllocationWatch.hasSanitizer && !_isDebugAssertConfiguration(),
    "a sanitizer has its own malloc; run with -Xswiftc -O"))
struct StationAllocationTests {
  /// A talk of two, how long it is, and from when on what it allocates is counted.
  private struct Talk {
    var sampleRate: Int
    /// Of each: of its voice, and of each input.
    var streams = 1
    var inputs: [InputSettings] = []
    var seconds = 40
    var watchedSeconds = 10
  }

  /// At another rate than Opus' what is captured and what is heard is resampled.
  ///
  /// From some time on one records to a disk that does not answer: in the midst of what is counted its tapes are full.
  @Test func `protected talk and reports allocate nothing, by one stream or eight`() throws {
    guard let watch = AllocationWatch() else {
      #expect(try AllocationWatch.runCounted("IntercomTests.StationAllocationTests"))
      return
    }
    try measure(Talk(sampleRate: 48_000), watch)
    try measure(Talk(sampleRate: 44_100), watch)
    try measure(
      Talk(
        sampleRate: 48_000, streams: 8, seconds: 18, watchedSeconds: 8),
      watch)
    let inputs = [
      InputSettings(name: "program", ports: ["program_left", "program_right"]),
      InputSettings(name: "desk", ports: ["in_desk"]),
    ]
    for sampleRate in [48_000, 44_100] {
      try measure(
        Talk(
          sampleRate: sampleRate, streams: 3, inputs: inputs, seconds: 18, watchedSeconds: 8),
        watch)
    }
    let before = watch.count
    watch.begin()
    _ = [UInt8](repeating: 1, count: 1000).map { $0 &+ 1 }
    watch.end()
    #expect(watch.count > before)
    try watch.report()
  }

  private func measure(_ talk: Talk, _ watch: AllocationWatch) throws {
    let sampleRate = talk.sampleRate
    let clock = Clock()
    let ends = try (1...2).map { try End($0, of: talk, clock) }
    for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      try end.admit(other, streams: talk.streams, clock.now)
    }
    var forged = [UInt8](repeating: 0x80, count: 120)
    let ssrc = ends[1].station.roster.identity.ssrc.rawValue
    for place in 0..<4 { forged[8 + place] = UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * place)) }
    for place in 116..<120 { forged[place] = 0 }
    let deck = try TapeDeck(
      sampleRate: sampleRate, keepsTalkers: true, keepsMix: true,
      buses: [("bus_foh", MixBus.patched[0])])
    let before = watch.count
    let periodNanoseconds = Int64(128) * 1_000_000_000 / Int64(sampleRate)
    let watchedPeriod = (talk.seconds - talk.watchedSeconds) * 375
    for period in 0..<talk.seconds * 375 {
      clock.now += periodNanoseconds
      for end in ends { end.runPeriod(clock.now) }
      if period == watchedPeriod + 2 * 375 { ends[0].station.beginRecording(on: deck) }
      // Not watched: what throws is boxed for the testing library, which is told of each error.
      if period % 100 == 7 {
        ends[0].station.datagramReceived(
          unsafe forged.span.bytes, from: .host(2), arrivalNanoseconds: clock.now)
      }
      if period > watchedPeriod { watch.begin() }
      for (end, other) in [(0, 1), (1, 0)] {
        _ = ends[end].station.woke(at: clock.now, nowNanoseconds: clock.now)
        ends[end].endpoint.deliver(to: ends[other].station, from: .host(end + 1), clock.now)
      }
      watch.end()
    }
    #expect(watch.count == before, "\(talk)")
    #expect(deck.lostFrames > (talk.watchedSeconds - 6) * sampleRate)
    for end in ends { try check(end, of: talk, clock.now) }
    let refused = ends[0].station.drops.protection
    #expect(refused.turnedAway(.notAuthentic) + refused.turnedAway(.tooOld) > 40)
  }

  private func check(_ end: End, of talk: Talk, _ now: Int64) throws {
    let status = try #require(
      end.station.snapshot(nowNanoseconds: now).peerStatuses(client: "comlink").first)
    #expect(status.received > 80 * talk.seconds && status.isTalking == true && status.lost == 0)
    let session = try #require(end.station.roster.sessions.all.first)
    #expect(session.streams.count == talk.streams)
    for heard in session.streams {
      let statistics = heard.stream.statistics
      #expect(statistics.received > 80 * talk.seconds && statistics.lost == 0)
      #expect(statistics.isResampled == (talk.sampleRate != 48_000))
    }
    #expect(end.station.drops.protection.turnedAway(.unknownKey) == 0)
  }

  private final class Clock {
    var now: Int64 = 1_000_000_000_000
  }

  /// A station whose surroundings keep their memory.
  private final class End {
    let number: Int
    var node: NodeID { .named("\(number)") }
    let station: Station
    let engine: AudioEngine
    let endpoint: KeepingEndpoint
    private let sampleRate: Int
    private let inputs: [InputSettings]
    private var frame = 0

    init(_ number: Int, of talk: Talk, _ clock: Clock) throws {
      (self.number, sampleRate, inputs) = (number, talk.sampleRate, talk.inputs)
      var configuration = IntercomConfiguration(
        name: "Node \(number)", listen: .host(number), softwareVersion: "test")
      configuration.inputs = inputs
      configuration.buses = [BusSettings(name: "all"), BusSettings(name: "ifb")]
      var random = SplitMix64(seed: UInt64(number))
      engine = try AudioEngine(wakeDescriptor: -1, inputs: inputs.flatMap(\.ports))
      endpoint = KeepingEndpoint(localAddress: .host(number))
      let identity = Identity(using: &random)
      station = Station(
        configuration: configuration, identity: identity, engine: engine,
        endpoint: endpoint, ports: RecordingPorts(), encoders: try configuration.makeEncoders(),
        inputs: try inputs.map { try configuration.makeEncoders(for: $0) },
        protection: MediaProtection(try SRTPSendingKey(epoch: 0), ssrc: identity.ssrc),
        streams: StreamReserve(configuration.streams) { $0() }, random: random,
        clock: { clock.now + 50_000 }
      ) { _ in }
    }

    /// Lets another in and takes the keys of so many streams of it, which this end is in the audience of.
    func admit(_ other: End, streams: Int, _ now: Int64) throws {
      let member = Member(
        node: other.node, name: "Node \(other.number)",
        addresses: [.host(other.number), .host(other.number + 50)])
      station.admit(member, nowNanoseconds: now)
      var keys = [other.station.protection.base.message]
      for number in 1..<streams {
        let stream = other.station.open(
          number, of: number <= inputs.count ? number : 0, StreamAudience(octets: [UInt8(number)]),
          .nodes([node]),
          try SRTPSendingKey(epoch: 0), epoch: 0)
        keys.append(try #require(stream).message)
      }
      for key in keys {
        #expect(station.roster.install(try ReceivedKey(key), of: other.node, nowNanoseconds: now))
      }
    }

    func runPeriod(_ now: Int64) {
      let tone = Tone(hertz: 440, sampleRate: sampleRate)
      engine.runPeriod(
        mic: (frame..<frame + 128).map(tone.sample),
        inputs: inputs.flatMap(\.ports).map { _ in (frame..<frame + 128).map(tone.sample) },
        sampleRate: sampleRate, callbackNanoseconds: now)
      frame += 128
    }
  }

  /// Packets in memory that is there from the start.
  @safe private final class KeepingEndpoint: DatagramEndpoint {
    private static let slots = 64
    let localAddress: SocketAddress
    private let memory: UnsafeMutableRawBufferPointer
    private var byteCounts: [Int] = []
    private var sent: [Int] = []

    init(localAddress: SocketAddress) {
      self.localAddress = localAddress
      unsafe memory = .allocate(
        byteCount: Self.slots * UDPEndpoint.maximumByteCount, alignment: 8)
      byteCounts.reserveCapacity(Self.slots)
      sent.reserveCapacity(Self.slots)
    }

    deinit { unsafe memory.deallocate() }

    func wakeOnDatagram() {}

    private func slot(_ number: Int) -> UnsafeMutableRawBufferPointer {
      let start = number * UDPEndpoint.maximumByteCount
      return unsafe UnsafeMutableRawBufferPointer(
        rebasing: memory[start..<start + UDPEndpoint.maximumByteCount])
    }

    func makePacket(_ fill: (inout MutableRawSpan) -> Int) -> PacketSlot? {
      guard byteCounts.count < Self.slots else { return nil }
      var bytes = unsafe slot(byteCounts.count).mutableBytes
      let byteCount = fill(&bytes)
      guard byteCount > 0 else { return nil }
      byteCounts.append(byteCount)
      return PacketSlot(
        number: UInt32(byteCounts.count - 1), generation: 0, byteCount: byteCount)
    }

    func send(_ packet: PacketSlot, to destination: SocketAddress) {
      guard sent.count < Self.slots, destination != .host(51), destination != .host(52) else {
        return
      }
      sent.append(Int(packet.number))
    }

    func deliver(to station: Station, from source: SocketAddress, _ now: Int64) {
      for number in sent {
        let bytes = unsafe UnsafeRawBufferPointer(
          rebasing: slot(number)[..<byteCounts[number]])
        station.datagramReceived(unsafe bytes.bytes, from: source, arrivalNanoseconds: now)
      }
      sent.removeAll(keepingCapacity: true)
      byteCounts.removeAll(keepingCapacity: true)
    }
  }
}
