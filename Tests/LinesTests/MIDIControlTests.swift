import Testing

@testable import Lines

/// What users write of MIDI, and what devices send.
@Suite struct MIDIControlTests {
  @Test(arguments: [
    ("note 60", "note 60"), ("Note 0 CHANNEL 16", "note 0 channel 16"), (" cc  64 ", "cc 64"),
    ("cc 127 channel 1", "cc 127 channel 1"),
  ])
  func `a control is read as it is written`(text: String, printed: String) throws {
    let control = try MIDIControl(text)
    #expect("\(control)" == printed)
    #expect(try MIDIControl(printed) == control)
  }

  @Test(arguments: [
    "", "note", "note 128", "note -1", "cc x", "pitch 3", "note 60 channel", "note 60 channel 0",
    "note 60 channel 17", "note 60 chanel 1", "note 60 61", "cc 64 channel 1 2",
  ])
  func `what is none is refused with what to write`(text: String) {
    #expect(throws: LineError.badMIDI(text)) { try MIDIControl(text) }
    #expect("\(LineError.badMIDI(text))".contains("write note 60"))
  }

  private static func edge(
    _ kind: MIDIControl.Kind, _ number: UInt8, _ channel: UInt8, _ isDown: Bool
  ) -> MIDIMessage {
    .edge(MIDIEdge(kind: kind, number: number, channel: channel, isDown: isDown))
  }

  static let messages: [([UInt8], MIDIMessage)] = [
    ([0x90, 60, 1], edge(.note, 60, 1, true)), ([0x9F, 0, 127], edge(.note, 0, 16, true)),
    ([0x90, 60, 0], edge(.note, 60, 1, false)), ([0x8A, 127, 99], edge(.note, 127, 11, false)),
    ([0xB0, 64, 64], edge(.controller, 64, 1, true)),
    ([0xB1, 64, 63], edge(.controller, 64, 2, false)),
    ([0xA0, 1, 1], .other), ([0xC0, 1], .other), ([0xD3, 1], .other), ([0xE0, 0, 64], .other),
    ([0xF1, 3], .other), ([0xF2, 3, 4], .other), ([0xF3, 3], .other), ([0xF6], .other),
    ([0xF8], .other), ([0xFE], .other), ([0xFF], .other), ([0xF0, 0xF7], .other),
    ([0xF0, 1, 0xF7], .other),
    ([], .malformed), ([60], .malformed), ([60, 1], .malformed), ([0x90], .malformed),
    ([0x90, 60], .malformed), ([0x90, 60, 1, 2], .malformed), ([0x90, 128, 1], .malformed),
    ([0x90, 1, 200], .malformed), ([0xC0, 1, 1], .malformed), ([0xC0, 255], .malformed),
    ([0xF0], .malformed), ([0xF0, 1, 2], .malformed), ([0xF0, 0x80, 0xF7], .malformed),
    ([0xF4], .malformed), ([0xF5], .malformed), ([0xF7], .malformed), ([0xF9], .malformed),
    ([0xFD], .malformed), ([0xF8, 1], .malformed), ([0xF1], .malformed),
  ]

  @Test(arguments: messages)
  func `each message is an edge, something else or none`(octets: [UInt8], message: MIDIMessage) {
    #expect(MIDIMessage(octets) == message)
  }

  @Test func `any octets are taken`() {
    for first in UInt8.min...(.max) {
      for second in UInt8.min...(.max) {
        for count in 0...4 { _ = MIDIMessage(Array([first, second, second, first].prefix(count))) }
      }
    }
  }

  @Test func `a control without a channel is on all, its lamp on the first`() throws {
    let (any, third) = (try MIDIControl("note 60"), try MIDIControl("cc 7 channel 3"))
    for channel in UInt8(1)...16 {
      let note = MIDIEdge(kind: .note, number: 60, channel: channel, isDown: true)
      let controller = MIDIEdge(kind: .controller, number: 7, channel: channel, isDown: false)
      #expect(any.matches(note) && !any.matches(controller))
      #expect(third.matches(controller) == (channel == 3) && !third.matches(note))
    }
    #expect(any.lamp(127) == [0x90, 60, 127] && third.lamp(16) == [0xB2, 7, 16])
  }

  @Test func `what the port holds is let go of when it goes, at once or within a second`() throws {
    var desk = LineDesk(instance: 1, isTalking: false)
    var key = try Key(.all, lines: [.all], activation: .talk, latchMilliseconds: 1000)
    key.midi = try MIDIControl("note 1")
    try desk.setKey(key)
    func isHeld() -> Bool { desk.keys.first { $0.key.name == .all }?.isHeld == true }
    func isTalking() -> Bool { desk.keys.first { $0.key.name == .all }?.isTalking == true }
    try desk.press(.all, by: .midi, nowNanoseconds: 0)
    desk.noteMIDI(isThere: true, nowNanoseconds: 900_000_000)
    desk.tick(nowNanoseconds: 1_800_000_000)
    #expect(isHeld() && isTalking())
    desk.tick(nowNanoseconds: 1_900_000_000)
    #expect(!isHeld() && !isTalking(), "nothing latches by that")
    try desk.press(.all, by: .midi, nowNanoseconds: 2_000_000_000)
    desk.noteMIDI(isThere: false, nowNanoseconds: 2_000_000_001)
    #expect(!isHeld() && !isTalking() && desk.nextDeadlineNanoseconds == .max)
  }

  @Test func `controls are kept, beside ports and without, and damage is found`() throws {
    var settings = LineSettings()
    #expect(settings.octets.first == 3)
    settings.keys = [try Key(.all, lines: [.all]), try Key(try KeyName("b"), lines: [.all])]
    #expect(settings.octets.first == 3)
    settings.keys[1].midi = try MIDIControl("cc 64 channel 9")
    #expect(LineSettings(settings.octets) == settings)
    settings.ear.setPort(true, of: .all)
    let octets = settings.octets
    #expect(octets.first == 6 && LineSettings(octets) == settings)
    for count in octets.indices { #expect(LineSettings(Array(octets.prefix(count))) == nil) }
    #expect(LineSettings(octets + [0]) == nil)
    // A key that is not there.
    var other = octets
    other[octets.count - "cc 64 channel 9".utf8.count - 2] = 2
    #expect(LineSettings(other) == nil)
  }
}
