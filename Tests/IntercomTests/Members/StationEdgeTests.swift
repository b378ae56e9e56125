import Audio
import Cryptography
import EventLoop
import Glibc
import Media
import Mesh
import RTP
import TestKit
import Testing

@testable import Intercom

/// The edges of a talk key in virtual time: what is heard of the moment of a press and of a release, and how soon.
@Suite struct StationEdgeTests {
  private static let rate = 48_000
  /// 1 ms.
  private static let clickFrames = 48

  private let network = VirtualNetwork()
  private let anna: VirtualNode
  private let bert: VirtualNode

  init() throws { try self.init(framesPerPacket: 480, periodFrames: 128) }

  private init(framesPerPacket: Int, periodFrames: Int, inputs: [InputSettings] = []) throws {
    let beat = VirtualNode.Beat(periodFrames: periodFrames)
    anna = try VirtualNode("Anna", at: .host(1), beat: beat) {
      ($0.framesPerPacket, $0.inputs) = (framesPerPacket, inputs)
    }
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat(periodFrames: 64)) {
      $0.framesPerPacket = framesPerPacket
    }
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 3)
    anna.station.setTalk(false)
    network.run(seconds: 1.234)
    anna.mic = Self.click(at: .max - 100)
  }

  private static func sine(_ hertz: Double, _ amplitude: Double, _ frame: Int) -> Float {
    Float(amplitude * sin(2 * .pi * hertz * Double(frame) / Double(rate)))
  }

  /// A burst of 1 ms of 2 kHz in a room that is not silent.
  private static func click(at frame: Int) -> (Int) -> Float {
    { index in
      let click = (frame..<frame + clickFrames).contains(index) ? sine(2000, 0.5, index - frame) : 0
      return click + sine(330, 0.005, index)
    }
  }

  /// What is heard at Bert's of a click, as energy of the loudest 10 ms.
  private func energy(since start: Int) -> Float {
    let heard = bert.heard[start...]
    let loudest = heard.indices.max { abs(heard[$0]) < abs(heard[$1]) } ?? start
    let around = max(start, loudest - 240)..<min(heard.endIndex, loudest + 240)
    return heard[around].reduce(0) { $0 + $1 * $1 }
  }

  /// The same of a click at a frame from now on.
  private func energy(ofClickAt frame: Int) -> Float {
    anna.mic = Self.click(at: frame)
    let start = bert.heard.count
    network.run(seconds: 0.5)
    return energy(since: start)
  }

  private static func decibels(_ energy: Float, of whole: Float) -> Double {
    10 * log10(Double(max(energy, 1e-12) / whole))
  }

  /// Of clicks while the key is open, at as many places of a codec frame.
  private func wholeEnergy() -> Float {
    anna.station.setTalk(true)
    network.run(seconds: 0.5)
    let energies = (0..<8).map { energy(ofClickAt: anna.heard.count + 480 + 37 * $0) }
    anna.station.setTalk(false)
    network.run(seconds: 1)
    return energies.reduce(0, +) / 8
  }

  /// At any place of period and codec frame, and whatever the key did before.
  private static let waits = [0.5, 0.7123, 0.9011, 1.0007, 0.8033, 1.3019, 0.6501, 2.0049]

  @Test(arguments: [120, 240, 480, 960], [64, 256])
  func `a click at the very moment of the press is heard in full`(
    framesPerPacket: Int, periodFrames: Int
  ) throws {
    let test = try Self(framesPerPacket: framesPerPacket, periodFrames: periodFrames)
    let whole = test.wholeEnergy()
    // The shortest codec frame has 2.5 ms to fade in, as has the listener's decoder.
    let least = framesPerPacket == 120 ? -1.5 : -1
    for wait in Self.waits {
      test.network.run(seconds: wait)
      test.anna.station.setTalk(true)
      let level = Self.decibels(test.energy(ofClickAt: test.anna.heard.count), of: whole)
      #expect(level > least, "after \(wait) s")
      test.anna.station.setTalk(false)
    }
    try test.expectNothingLost()
  }

  @Test(arguments: [120, 240, 480, 960], [64, 256])
  func `a click just before the release is heard in full, and what comes after it is not`(
    framesPerPacket: Int, periodFrames: Int
  ) throws {
    let test = try Self(framesPerPacket: framesPerPacket, periodFrames: periodFrames)
    let whole = test.wholeEnergy()
    for (round, wait) in Self.waits.enumerated() {
      test.anna.station.setTalk(true)
      test.network.run(seconds: wait)
      let next = test.anna.heard.count + periodFrames
      let start = test.bert.heard.count
      test.anna.mic = Self.click(at: next - Self.clickFrames)
      // By turns it was captured already, and is the end of the period in which the key goes up.
      if round % 2 == 0 {
        test.network.run(seconds: Double(periodFrames) / Double(Self.rate))
        #expect(test.anna.heard.count == next)
      }
      test.anna.station.setTalk(false)
      test.network.run(seconds: 0.5)
      let energy = test.energy(since: start)
      #expect(Self.decibels(energy, of: whole) > -1, "after \(wait) s, round \(round)")
      test.anna.station.setTalk(true)
      test.network.run(seconds: 0.3)
      test.anna.station.setTalk(false)
      let late = test.anna.heard.count + periodFrames + Self.rate / 200
      #expect(test.energy(ofClickAt: late) < whole / 100, "5 ms after the release")
    }
    try test.expectNothingLost()
  }

  @Test func `a press and a release within one codec frame are heard`() throws {
    let test = try Self(framesPerPacket: 960, periodFrames: 64)
    let whole = test.wholeEnergy()
    for wait in Self.waits {
      test.network.run(seconds: wait)
      let (anna, start) = (test.anna, test.bert.heard.count)
      let frame = anna.heard.count
      anna.mic = Self.click(at: frame)
      anna.station.setTalk(true)
      #expect(test.network.run(until: { anna.heard.count >= frame + 64 }))
      anna.station.setTalk(false)
      test.network.run(seconds: 0.5)
      // Opus spreads what is alone in 20 ms beyond the 10 ms that are measured.
      let energy = test.energy(since: start)
      #expect(Self.decibels(energy, of: whole) > -4, "after \(wait) s")
    }
  }

  @Test(arguments: [120, 240, 480, 960], [64, 256])
  func `from the press to the first packet it takes a period and a codec frame at most`(
    framesPerPacket: Int, periodFrames: Int
  ) throws {
    let test = try Self(framesPerPacket: framesPerPacket, periodFrames: periodFrames)
    test.anna.mic = { Self.sine(440, 0.1, $0) }
    var longest = 0.0
    for wait in Self.waits {
      test.network.run(seconds: wait)
      let press = test.network.now
      test.anna.station.setTalk(true)
      #expect(test.anna.station.microphone.isOpen, "the gate is open at once")
      test.network.run(seconds: 0.2)
      let first = try #require(
        test.network.media(to: .host(2), since: press).first {
          $0.source == .host(1) && $0.bytes[1] & 0x80 != 0
        })
      longest = max(longest, Double(first.arrivalNanoseconds - press) * 1e-6)
      test.anna.station.setTalk(false)
    }
    let most = Double(framesPerPacket + periodFrames) / 48 + 1
    #expect(longest <= most)
    try test.expectNothingLost()
  }

  /// The receiver's delay does not grow, as nothing comes late.
  @Test(arguments: [(120, 64), (120, 256), (480, 128), (480, 256), (480, 480), (960, 256)])
  func `many presses leave the delay as it is`(framesPerPacket: Int, periodFrames: Int) throws {
    let test = try Self(framesPerPacket: framesPerPacket, periodFrames: periodFrames)
    test.anna.mic = { Self.sine(440, 0.1, $0) }
    test.anna.station.setTalk(true)
    test.network.run(seconds: 10)
    func delay() throws -> Double {
      let statistics = try #require(test.bert.peer(at: .host(1))?.stream).statistics
      return Double(statistics.playoutDelayNanoseconds) * 1e-6
    }
    let before = try delay()
    for round in 0..<40 {
      test.anna.station.setTalk(false)
      test.network.run(seconds: 0.5 + 0.011 * Double(round))
      test.anna.station.setTalk(true)
      test.network.run(seconds: 0.7 + 0.007 * Double(round))
    }
    test.network.run(seconds: 10)
    let after = try delay()
    #expect(after < before + 0.5)
    try test.expectNothingLost()
  }

  private func expectNothingLost() throws {
    let statistics = try #require(bert.peer(at: .host(1))?.stream).statistics
    #expect(statistics.lost == 0 && statistics.restarts == 0 && statistics.discarded.total == 0)
    // One in a hundred may be, for the least delay.
    #expect(statistics.late <= 1)
  }

  @Test func `further inputs stay in step with the microphone over many presses`() throws {
    let test = try Self(
      framesPerPacket: 480, periodFrames: 128,
      inputs: [InputSettings(name: "desk", ports: ["in_desk"])])
    let anna = test.anna
    let free = try #require(anna.station.protection.freeNumber())
    let stream = try #require(
      anna.station.open(
        free.number, of: 1, .everyone, .everyone, try SRTPSendingKey(epoch: 1), epoch: 1))
    #expect(try test.bert.install(stream.message, of: anna, test.network))
    anna.mic = { _ in 0 }
    try anna.station.capture.setInput("desk", isOn: false)
    for wait in Self.waits {
      test.network.run(seconds: wait)
      anna.station.setTalk(true)
      test.network.run(seconds: 0.1)
      anna.station.setTalk(false)
    }
    anna.station.setTalk(true)
    try anna.station.capture.setInput("desk", isOn: true)
    test.network.run(seconds: 1)
    let capture = anna.station.capture
    let inputTime = capture.inputs[0].talker.currentTimestamp
    #expect(inputTime.distance(to: capture.currentTimestamp) == 0)
    let frame = anna.heard.count + 2000
    let click = { (index: Int) in frame <= index ? Self.sine(440, 0.1, index) : 0 }
    (anna.mic, anna.inputs) = (click, [click])
    let since = test.network.now
    test.network.run(seconds: 0.5)
    // Of each stream the time stamp of the packet that begins with the click: markers are not encrypted.
    var began: [[UInt8]: [UInt8]] = [:]
    for packet in test.network.traffic where !packet.isReport && packet.source == .host(1) {
      guard packet.arrivalNanoseconds >= since, packet.bytes[1] & 0x80 != 0 else { continue }
      began[Array(packet.bytes[8..<12])] = Array(packet.bytes[4..<8])
    }
    #expect(began.count == 2 && Set(began.values).count == 1, "\(began)")
  }
}
