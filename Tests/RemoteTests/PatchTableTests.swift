import StatusSchema
import Testing

@testable import Remote

/// Inputs and buses in a terminal.
@Suite struct PatchTableTests {
  @Test func `inputs are told with their ports and whether they are sent`() {
    var inputs = [
      InputStatus(
        name: "program", ports: ["program_left", "program_right"], isOn: true, isTalking: true,
        levelDBFS: -18.25),
      InputStatus(name: "desk", ports: ["in_desk"], isOn: false),
    ]
    inputs[1].lines = ["stage", "f\u{1B}[2Jx"]
    #expect(
      PatchTable.text(inputs) == """
        INPUT    SENT   LINES          LEVEL      PORTS
        program  talks  all            -18.3 dB   program_left program_right
        desk     off    stage, f?[2Jx  -120.0 dB  in_desk

        """)
  }

  @Test func `buses are told with who is on them, whatever their names`() {
    let bus = BusStatus(
      name: "ifb", port: "bus_ifb", levelDBFS: -20, allDecibels: nil,
      peersDecibels: ["a\u{1B}[2J": -6], peersOff: ["bo"])
    #expect(
      PatchTable.text([bus]) == """
        BUS  LEVEL     PORT     WHO
        ifb  -20.0 dB  bus_ifb  all off, a?[2J -6.0 dB, bo off

        """)
  }
}
