import Habits
import Intercom
import Lines
import Testing

@testable import NodeDaemon

/// `--program`, `--input` and `--bus`.
@Suite struct PatchSettingsTests {
  @Test func `inputs have the ports that are told, the programme first`() throws {
    var settings = PatchSettings()
    #expect(settings.allInputs.isEmpty)
    try settings.setInputs(["desk", "radio"])
    try settings.setProgram("mono")
    #expect(settings.allInputs.map(\.ports) == [["program"], ["in_desk"], ["in_radio"]])
    try settings.setProgram("stereo")
    #expect(settings.allInputs[0].ports == ["program_left", "program_right"])
    #expect(settings.allInputs.map(\.name) == ["program", "desk", "radio"])
  }

  @Test func `a bus has all, some, or all but some`() throws {
    var settings = PatchSettings()
    try settings.setBuses(["foh", "ifb=-anna,-bo", "solo=anna", "none="])
    let buses = settings.buses
    #expect(buses.map(\.name) == ["foh", "ifb", "solo", "none"])
    #expect(buses.map(\.others) == [0, 0, -.infinity, -.infinity])
    #expect(buses[0].members.isEmpty && buses[3].members.isEmpty)
    #expect(buses[1].members == ["anna": -.infinity, "bo": -.infinity])
    #expect(buses[2].members == ["anna": 0])
    #expect(settings.busTexts == ["foh", "ifb=-anna,-bo", "solo=anna", "none="])
  }

  @Test func `inputs are for the lines that are named, or for all`() throws {
    var settings = PatchSettings()
    try settings.setProgram("stereo=pgm, stage left")
    try settings.setInputs(["desk=stage", "radio", "phone=all"])
    #expect(settings.allInputs.map(\.lines) == [["pgm", "stage left"], ["stage"], [], []])
    #expect(settings.programText == "stereo=pgm,stage left")
    #expect(settings.inputTexts == ["desk=stage", "radio", "phone"])
    for text in ["desk=", "desk=\u{1B}"] {
      #expect(throws: SettingProblem.self) { try settings.setInputs([text]) }
    }
    #expect(throws: SettingProblem.badValue("must be one of off|mono|stereo, not \"surround\"")) {
      try settings.setProgram("surround=pgm")
    }
  }

  @Test func `what was set holds until the configuration says something else`() throws {
    var settings = PatchSettings()
    try settings.setInputs(["desk=stage", "radio"])
    try settings.setBuses(["foh", "ifb=-anna"])
    var mix = Mix()
    mix.inputs["desk"] = InputHabit(configured: "desk=stage", isOn: false, lines: ["pgm"])
    mix.inputs["radio"] = InputHabit(configured: "radio=pgm", isOn: false, lines: ["pgm"])
    mix.buses["ifb"] = BusHabit(configured: "ifb=-anna", others: -6, members: ["bo": 3])
    mix.buses["foh"] = BusHabit(configured: "foh=bo", others: -9, members: [:])
    let inputs = settings.inputs(after: mix)
    #expect(inputs.map(\.isOn) == [false, true])
    #expect(inputs.map(\.lines) == [["pgm"], []])
    #expect(settings.inputLines(after: mix) == ["desk": [try LineName("pgm")], "radio": []])
    let buses = settings.buses(after: mix)
    #expect(buses.map(\.others) == [0, -6])
    #expect(buses.map(\.members) == [[:], ["bo": 3]])
  }

  @Test func `too many of either, or one twice, are refused in words`() {
    var settings = PatchSettings()
    #expect(throws: SettingProblem.badValue("is given 5 times; 4 are the most")) {
      try settings.setInputs(["a", "b", "c", "d", "e"])
    }
    #expect(throws: SettingProblem.badValue("has \"a\" twice; remove one")) {
      try settings.setInputs(["a", "a"])
    }
    #expect(throws: SettingProblem.badValue("is given 7 times; 6 are the most")) {
      try settings.setBuses(["a", "b", "c", "d", "e", "f", "g"])
    }
    #expect(settings == PatchSettings())
  }
}
