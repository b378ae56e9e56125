import Audio
import Cryptography
import EventLoop
import Lines
import Media
import Mesh
import RTP
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// A station with a guest at a browser, and a member that hears it, in virtual time.
@Suite struct StationGuestTests {
  private let network = VirtualNetwork()
  private let anna: VirtualNode
  private let bert: VirtualNode
  private let tone = Tone(hertz: 1000)
  private let bertTone = Tone(hertz: 440)

  init() throws {
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    bert.mic = bertTone.sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 2)
  }

  /// A browser: what it says, coded, in frames of 10 ms, and what it hears.
  private final class Phone {
    let seat: GuestSeat
    let number: Int
    let heard: OpusOutput
    private let outlet: GuestOutlet
    private let encoder: OpusEncoder
    private var frames = 0
    private var packet = [UInt8](repeating: 0, count: 400)

    /// What came for it, decoded.
    final class OpusOutput: @unchecked Sendable {
      private let decoder: OpusDecoder
      var pcm: [Float] = []
      init() throws { decoder = try OpusDecoder() }
      func take(_ message: [UInt8]) {
        var room = [Float](repeating: 0, count: 480)
        if message.count > 11 {
          let payload = Array(message.dropFirst(GuestFrame.headerBytes))
          var span = room.mutableSpan
          _ = decoder.decode(unsafe payload.span.bytes, into: &span)
        }
        pcm += room
      }
    }

    init(_ station: Station, _ engine: AudioEngine, named name: String, id: Int) throws {
      let draft = try #require(station.draftGuest())
      let answer = try #require(
        station.admitGuest(
          id, named: name, in: 0x36A2EB, draft, GuestKit(draft).talker,
          try SRTPSendingKey(epoch: UInt8(draft.epoch))))
      (seat, number) = (answer.seat, draft.number)
      encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 64_000)
      let heard = try OpusOutput()
      self.heard = heard
      outlet = try GuestOutlet(engine, bus: seat.bus, kind: .opus) { heard.take($0) }
      seat.attach(outlet)
    }

    /// Looks for what there is to hear; when there may be more.
    func look(_ now: Int64) -> Int64 { outlet.mix(nowNanoseconds: now) }

    /// Says 10 ms by both connections, unless one is lost, and hears what there is.
    func step(_ tone: Tone?, _ now: Int64, losing: (Int) -> Bool = { _ in false }) {
      defer { frames += 1 }
      outlet.mix()
      var octets = GuestFrame(
        kind: .opus, sequence: UInt32(frames), timestamp: UInt32(frames * 480), level: 20
      ).header
      if let tone {
        let pcm = (0..<480).map { tone.sample(frames * 480 + $0) }
        var span = packet.mutableSpan
        var bytes = unsafe span.mutableBytes
        octets += packet[..<encoder.encode(pcm.span, into: &bytes)]
      } else {
        octets.append(30 << 3)
      }
      guard !losing(frames) else { return }
      seat.take(octets, arrivalNanoseconds: now)
      seat.take(octets, arrivalNanoseconds: now + 100)
    }
  }

  private func enter(_ name: String = "Gina", id: Int = 1) throws -> Phone {
    let phone = try Phone(anna.station, anna.engine, named: name, id: id)
    let key = try #require(anna.station.protection.stream(phone.number)).message
    #expect(key.sourceName == name && key.source >= MediaKey.firstGuestSource)
    #expect(key.sourceColourRGB == 0x36A2EB)
    #expect(try bert.install(key, of: anna, network))
    return phone
  }

  /// Lets guests talk, to all or to nobody.
  private func talk(_ guests: [Int]) {
    var routing = LineRouting()
    routing.talk = .everyone
    for guest in guests { routing.guests[guest] = .everyone }
    anna.station.follow(routing)
  }

  private func run(
    _ phones: [(Phone, Tone?)], seconds: Double, losing: (Int) -> Bool = { _ in false }
  ) {
    for _ in 0..<Int(seconds * 100) {
      for (phone, tone) in phones { phone.step(tone, network.now, losing: losing) }
      network.run(seconds: 0.01)
    }
  }

  @Test func `a guest is heard here and by members as a stream of its own, told apart`() throws {
    let phone = try enter()
    talk([1])
    run([(phone, tone)], seconds: 4)
    for node in [anna, bert] {
      #expect(tone.level(in: node.heard.suffix(48_000)) > 0.1)
    }
    let session = try #require(bert.station.roster.sessions[anna.node])
    let heard = try #require(session.streams.first { $0.source.isGuest })
    #expect(heard.title(of: "Anna") == "Gina (Anna)")
    let statistics = heard.stream.statistics
    #expect(statistics.received > 350 && statistics.lost == 0 && statistics.late == 0)
    let status = bert.statuses(network).first?.guests?.first
    #expect(status?.name == "Gina" && status?.isTalking == true && status?.colour == "36a2eb")
    #expect(anna.station.snapshot(nowNanoseconds: network.now).guests.first?.own?.isOn == true)
    withExtendedLifetime(phone) {}
  }

  @Test func `a guest hears members and the node's microphone, and never itself`() throws {
    let own = Tone(hertz: 700)
    anna.mic = own.sample
    let (phone, other) = (try enter(), try enter("Hugo", id: 2))
    talk([1])
    run([(phone, tone), (other, nil)], seconds: 4)
    let (heard, otherHeard) = (phone.heard.pcm.suffix(96_000), other.heard.pcm.suffix(96_000))
    #expect(bertTone.level(in: heard) > 0.05 && own.level(in: heard) > 0.05)
    #expect(tone.level(in: heard) < 0.001)
    // The other guest hears this one.
    #expect(tone.level(in: otherHeard) > 0.05 && own.level(in: otherHeard) > 0.05)
  }

  @Test(arguments: [64, 128, 256])
  func `what a guest hears is coded as soon as a frame of it is mixed, and not looked for in vain`(
    periodFrames: Int
  ) throws {
    anna.beat = VirtualNode.Beat(periodFrames: periodFrames)
    let phone = try enter()
    run([(phone, nil)], seconds: 1)
    var looks = 0
    let (before, end) = (phone.heard.pcm.count, network.now + VirtualNetwork.second)
    while network.now < end {
      looks += 1
      let due = phone.look(network.now)
      network.run(seconds: Double(due - network.now) / 1e9)
    }
    let frames = (phone.heard.pcm.count - before) / 480
    #expect(frames >= 98 && looks <= frames + 4, "\(looks) looks, \(frames) frames")
  }

  @Test func `nobody hears a guest whose keys are up, whatever its browser sends`() throws {
    let phone = try enter()
    run([(phone, tone)], seconds: 2)
    for node in [anna, bert] { #expect(tone.level(in: node.heard.suffix(48_000)) < 0.001) }
    talk([1])
    run([(phone, tone)], seconds: 2)
    #expect(tone.level(in: bert.heard.suffix(48_000)) > 0.1)
    talk([])
    run([(phone, tone)], seconds: 2)
    for node in [anna, bert] { #expect(tone.level(in: node.heard.suffix(48_000)) < 0.001) }
  }

  @Test func `who talks with a guest alone hears it whatever its keys, and is heard by it alone`()
    throws
  {
    let (phone, other) = (try enter(), try enter("Hugo", id: 2))
    let link = try phone.seat.openEar()
    run([(phone, tone), (other, nil)], seconds: 1)
    var frames = [Float](repeating: 0, count: link.microphone.availableFrames)
    var span = frames.mutableSpan
    // All of it, once, though each frame came twice.
    let count = link.microphone.read(into: &span)
    #expect((47_000...48_000).contains(count))
    #expect(tone.level(in: frames.suffix(24_000)) > 0.1)
    for node in [anna, bert] { #expect(tone.level(in: node.heard.suffix(24_000)) < 0.001) }
    #expect(anna.station.snapshot(nowNanoseconds: network.now).guests.first?.own?.isOn == false)

    let voice = Tone(hertz: 1500)
    let answer = (0..<240_000).map(voice.sample)
    link.ear.write(answer.span)
    run([(phone, nil), (other, nil)], seconds: 1)
    #expect(voice.level(in: phone.heard.pcm.suffix(24_000)) > 0.1)
    #expect(bertTone.level(in: phone.heard.pcm.suffix(24_000)) > 0.05)
    for heard in [other.heard.pcm, anna.heard, bert.heard] {
      #expect(voice.level(in: heard.suffix(24_000)) < 0.001)
    }
    link.ear.cutOff()
    run([(phone, nil)], seconds: 0.3)
    #expect(voice.level(in: phone.heard.pcm.suffix(9600)) < 0.001)
    #expect(link.ear.soundedFrames == 240_000)

    // The newest has it.
    let next = try phone.seat.openEar()
    #expect(link.isOver && !next.isOver)
    phone.seat.closeEar(link)
    #expect(!next.isOver)
    phone.seat.closeEar()
    #expect(next.isOver)
    // It has gone: whoever is late waits for nothing.
    #expect(try phone.seat.openEar().isOver)
  }

  @Test func `a browser that lies about its time says no more than time passes`() throws {
    let phone = try enter()
    let link = try phone.seat.openEar()
    var heard = 0
    var room = [Float](repeating: 0, count: 48_000)
    for number in 0..<1000 {
      var octets = GuestFrame(
        kind: .opus, sequence: UInt32(number), timestamp: UInt32(number * 48_000), level: 20
      ).header
      octets.append(30 << 3)
      phone.seat.take(octets, arrivalNanoseconds: network.now + Int64(number) * 1_000_000)
      while link.microphone.availableFrames > 0 {
        var span = room.mutableSpan
        heard += link.microphone.read(into: &span)
      }
    }
    // A second, and what a stall may hold up.
    #expect((48_000...150_000).contains(heard))
  }

  @Test func `what a guest's browser left out is silence for who hears it alone, and keeps time`()
    throws
  {
    let phone = try enter()
    let link = try phone.seat.openEar()
    run([(phone, tone)], seconds: 1) { $0 % 10 == 3 }
    #expect((47_000...48_000).contains(link.microphone.availableFrames))
    // What is no frame, or of no length that there is, is left out.
    let odd: [[UInt8]] = [
      [], [9], [UInt8](repeating: 255, count: 900), [1] + [UInt8](repeating: 3, count: 60),
    ]
    for octets in odd { phone.seat.take(octets) }
    run([(phone, tone)], seconds: 0.1)
    #expect(!link.isOver)
  }

  @Test func `what a guest says counts in what the way is shared by, while it says something`()
    throws
  {
    anna.mic = Tone(hertz: 700).sample
    let phone = try enter()
    let session = try #require(anna.station.roster.sessions[bert.node])
    func sounding() -> Int { anna.station.capture.soundingStreams(to: session) }
    talk([1])
    run([(phone, nil)], seconds: 1)
    #expect(sounding() == 1)
    run([(phone, tone)], seconds: 1)
    #expect(sounding() == 2)
    talk([])
    run([(phone, tone)], seconds: 1)
    #expect(sounding() == 1)
  }

  @Test func `what a browser lost is concealed, and the rest keeps its time`() throws {
    let phone = try enter()
    talk([1])
    run([(phone, tone)], seconds: 4) { $0 % 50 == 49 }
    #expect(phone.seat.line.counts.missing >= 7)
    let session = try #require(bert.station.roster.sessions[anna.node])
    let heard = try #require(session.streams.first { $0.source.isGuest })
    #expect(tone.level(in: bert.heard.suffix(48_000)) > 0.08)
    #expect(heard.stream.statistics.restarts == 0)
  }

  @Test func `a guest that goes takes its stream, its places and its sound along`() throws {
    let before = anna.station.slots.freeCount
    let phone = try enter()
    talk([1])
    run([(phone, tone)], seconds: 1)
    anna.station.expelGuest(phone.number)
    try #require(anna.station.roster.sessions[bert.node] != nil)
    bert.station.roster.endStream(phone.number, of: anna.node)
    // Its browser has not noticed.
    run([(phone, tone)], seconds: 1)
    #expect(anna.station.protection.stream(phone.number) == nil)
    #expect(anna.station.slots.freeCount == before)
    for node in [anna, bert] { #expect(tone.level(in: node.heard.suffix(24_000)) < 0.001) }
    // Its number and places are another's.
    let next = try enter("Ida", id: 2)
    talk([2])
    run([(next, tone)], seconds: 2)
    #expect(tone.level(in: bert.heard.suffix(48_000)) > 0.1)
  }

  @Test func `there are sixteen guests, and the next is refused`() throws {
    var phones: [Phone] = []
    for number in 1...16 {
      phones.append(try enter("Guest \(number)", id: number))
      network.run(seconds: 0.1)
    }
    let draft = try #require(anna.station.draftGuest())
    #expect(
      anna.station.admitGuest(
        17, named: "Guest 17", draft, GuestKit(draft).talker,
        try SRTPSendingKey(epoch: UInt8(truncatingIfNeeded: draft.epoch))) == nil)
    talk(Array(1...16))
    run(phones.map { ($0, tone) }, seconds: 2)
    let session = try #require(bert.station.roster.sessions[anna.node])
    #expect(session.streams.count(where: \.source.isGuest) == 16)
  }
}
