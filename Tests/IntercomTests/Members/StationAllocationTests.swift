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
  /// At another rate than Opus' what is captured and what is heard is resampled.
  ///
  /// From some time on one records to a disk that does not answer: in the midst of what is counted its tapes are full.
  @Test(arguments: [48_000, 44_100])
  func `protected talk and reports allocate nothing`(sampleRate: Int) throws {
    guard let watch = AllocationWatch() else {
      #expect(try AllocationWatch.runCounted("IntercomTests.StationAllocationTests"))
      return
    }
    let clock = Clock()
    let ends = try (1...2).map { try End($0, sampleRate: sampleRate, clock) }
    for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      let key = other.station.protection.base.message
      let member = Member(
        node: .named("\(other.number)"), name: "Node \(other.number)",
        addresses: [.host(other.number), .host(other.number + 50)])
      end.station.admit(member, nowNanoseconds: clock.now)
      end.station.roster.install(
        try ReceivedKey(key), of: member.node, nowNanoseconds: clock.now)
    }
    var forged = [UInt8](repeating: 0x80, count: 120)
    let ssrc = ends[1].station.roster.identity.ssrc.rawValue
    for place in 0..<4 { forged[8 + place] = UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * place)) }
    for place in 116..<120 { forged[place] = 0 }
    let deck = try TapeDeck(sampleRate: sampleRate, keepsTalkers: true, keepsMix: true)
    var counted = 0
    let periodNanoseconds = Int64(128) * 1_000_000_000 / Int64(sampleRate)
    for period in 0..<Int(40 * 375) {
      let isWatched = period > 30 * 375
      clock.now += periodNanoseconds
      for end in ends { end.runPeriod(clock.now) }
      if period == 32 * 375 { ends[0].station.beginRecording(on: deck) }
      // Not watched: what throws is boxed for the testing library, which is told of each error.
      if period % 100 == 7 {
        ends[0].station.datagramReceived(
          unsafe forged.span.bytes, from: .host(2), arrivalNanoseconds: clock.now)
      }
      let before = watch.count
      if isWatched { watch.begin() }
      for (end, other) in [(0, 1), (1, 0)] {
        _ = ends[end].station.woke(at: clock.now, nowNanoseconds: clock.now)
        ends[end].endpoint.deliver(to: ends[other].station, from: .host(end + 1), clock.now)
      }
      watch.end()
      counted += watch.count - before
    }
    #expect(counted == 0)
    #expect(deck.lostFrames > 4 * sampleRate)
    for end in ends {
      let status = try #require(
        end.station.snapshot(nowNanoseconds: clock.now).peerStatuses(client: "comlink").first)
      #expect(status.received > 3000 && status.isTalking == true && status.lost == 0)
      let peer = try #require(end.station.seen.first)
      #expect(peer.stream?.statistics.isResampled == (sampleRate != 48_000))
      #expect(end.station.drops.protection.turnedAway(.unknownKey) == 0)
    }
    let refused = ends[0].station.drops.protection
    #expect(refused.turnedAway(.notAuthentic) + refused.turnedAway(.tooOld) > 100)
    watch.begin()
    _ = [UInt8](repeating: 1, count: 1000).map { $0 &+ 1 }
    watch.end()
    #expect(watch.count > 0)
    try watch.report()
  }

  private final class Clock {
    var now: Int64 = 1_000_000_000_000
  }

  /// A station whose surroundings keep their memory.
  private final class End {
    let number: Int
    let station: Station
    let engine: AudioEngine
    let endpoint: KeepingEndpoint
    private let sampleRate: Int
    private var frame = 0

    init(_ number: Int, sampleRate: Int, _ clock: Clock) throws {
      (self.number, self.sampleRate) = (number, sampleRate)
      let configuration = IntercomConfiguration(
        name: "Node \(number)", listen: .host(number), softwareVersion: "test")
      var random = SplitMix64(seed: UInt64(number))
      engine = try AudioEngine(wakeDescriptor: -1)
      endpoint = KeepingEndpoint(localAddress: .host(number))
      let identity = Identity(using: &random)
      station = Station(
        configuration: configuration, identity: identity, engine: engine,
        endpoint: endpoint, ports: RecordingPorts(), encoders: try configuration.makeEncoders(),
        protection: MediaProtection(try SRTPSendingKey(epoch: 0), ssrc: identity.ssrc),
        streams: StreamReserve(configuration.streams) { $0() }, random: random,
        clock: { clock.now + 50_000 }
      ) { _ in }
    }

    func runPeriod(_ now: Int64) {
      let tone = Tone(hertz: 440, sampleRate: sampleRate)
      engine.runPeriod(
        mic: (frame..<frame + 128).map(tone.sample), sampleRate: sampleRate,
        callbackNanoseconds: now)
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
