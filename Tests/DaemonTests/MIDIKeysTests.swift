import Keys
import Lines
import Testing

@testable import NodeDaemon

/// Keys that a MIDI device works, in virtual time.
@Suite struct MIDIKeysTests {
  private static let stage = MIDIKeysTests.name("stage")
  private static let video = MIDIKeysTests.name("video")
  private var keys = MIDIKeys()

  private static func name(_ text: String) -> KeyName {
    do { return try KeyName(text) } catch { preconditionFailure("\(error)") }
  }

  init() throws {
    _ = keys.bind([
      .init(key: Self.stage, control: try MIDIControl("note 60 channel 2")),
      .init(key: Self.video, control: try MIDIControl("cc 64")),
    ])
  }

  @Test mutating func `edges press and release, once each`() {
    let table: [([UInt8], [MIDIKeys.Action])] = [
      ([0x91, 60, 1], [.press(Self.stage)]), ([0x91, 60, 99], []),
      ([0x90, 60, 0], []), ([0x91, 60, 0], [.release(Self.stage)]), ([0x81, 60, 64], []),
      ([0x91, 60, 1], [.press(Self.stage)]), ([0x81, 60, 64], [.release(Self.stage)]),
      ([0xBF, 64, 63], []), ([0xBF, 64, 64], [.press(Self.video)]), ([0xB0, 64, 127], []),
      ([0xB3, 64, 63], [.release(Self.video)]), ([0xB3, 65, 127], []), ([0xF8], []),
      ([60, 1], []), ([], []), ([0x91, 60], []),
    ]
    for (octets, expected) in table {
      #expect(keys.take(octets, at: .zero) == expected, "\(octets)")
    }
    #expect(!keys.isPressing)
    #expect(keys.counters == MIDIKeys.Counters(taken: 10, ignored: 3, malformed: 3, flooded: 0))
  }

  @Test mutating func `a control that is another key's since tells so while it is down`() throws {
    _ = keys.take([0x91, 60, 1], at: .zero)
    #expect(!keys.bind([.init(key: Self.video, control: try MIDIControl("cc 64"))]))
    keys.lose()
    #expect(!keys.isPressing && keys.take([0x81, 60, 0], at: .zero) == [])
  }

  @Test mutating func `of a flood 32 presses a second do something`() {
    var pressed = 0
    for press in 0..<3000 {
      let time = Duration.milliseconds(press)
      pressed += keys.take([0x91, 60, 1], at: time).count
      // Each press that did something is released.
      let released = keys.take([0x81, 60, 0], at: time)
      #expect(released.count <= 1)
    }
    #expect(pressed == 3 * 32 && keys.counters.flooded == 3000 - pressed)
    #expect(!keys.isPressing)
  }

  @Test mutating func `lamps tell changes only, in the language of panels, and all to who comes`() {
    #expect(keys.lamps(at: .zero) == [[0x91, 60, 16], [0xB0, 64, 16]])
    #expect(keys.lamps(at: .seconds(1)) == [] && keys.deadline == nil)
    var tally = KeyTally(isTalking: true, isListening: true, isCalled: false, isInUse: false)
    keys.show([Self.stage: tally])
    #expect(keys.lamps(at: .seconds(1)) == [[0x91, 60, 127]])
    tally.isCalled = true
    keys.show([Self.stage: tally])
    #expect(keys.lamps(at: .seconds(2)) == [])
    #expect(keys.deadline == .milliseconds(2250))
    #expect(keys.lamps(at: .milliseconds(2250)) == [[0x91, 60, 0]])
    #expect(keys.lamps(at: .milliseconds(2500)) == [[0x91, 60, 127]])
    keys.forgetLamps()
    #expect(keys.lamps(at: .milliseconds(2501)) == [[0x91, 60, 127], [0xB0, 64, 16]])
    // What is no key's any more is dark.
    _ = keys.bind([])
    #expect(keys.lamps(at: .seconds(3)) == [[0x91, 60, 0], [0xB0, 64, 0]])
    #expect(keys.lamps(at: .seconds(4)) == [])
  }

  @Test mutating func `a lamp of two keys shows the brighter`() throws {
    let pad = try MIDIControl("note 1")
    _ = keys.bind([.init(key: Self.stage, control: pad), .init(key: Self.video, control: pad)])
    keys.show([
      Self.video: KeyTally(isTalking: true, isListening: false, isCalled: false, isInUse: false)
    ])
    #expect(keys.lamps(at: .zero) == [[0x90, 1, 127]])
    #expect(keys.take([0x9F, 1, 1], at: .zero) == [.press(Self.stage), .press(Self.video)])
  }
}
