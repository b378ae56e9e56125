import StatusSchema
import Testing

@testable import Remote

@Suite struct AcquaintanceTableTests {
  private static var member: AcquaintanceStatus {
    var member = AcquaintanceStatus(name: "B", state: "member")
    member.id = "xwgx4ts5vfnxyrxk2ikhgbhqt3w6ltkyqcnqtwmaxqmjixj2ua4q"
    member.idWords = "mosaic border rainbow gymnast siesta napkin forest equator"
    member.role = "stage left"
    member.colour = "ff8000"
    member.version = "0.1.0"
    member.admission = "group"
    member.isRecording = true
    return member
  }

  private static var asking: AcquaintanceStatus {
    var asking = AcquaintanceStatus(name: "", state: "asks to be let in")
    asking.secondsLeft = 12.25
    return asking
  }

  @Test func `the table looks like this`() {
    #expect(
      AcquaintanceTable.text([Self.member, Self.asking]) == """
        B                         member (group), RECORDING, stage left, comlinkd 0.1.0, colour ff8000
          mosaic border rainbow gymnast siesta napkin forest equator
        (no name)                 asks to be let in, declined in 12 s

        """)
  }

  @Test func `the JSON is this`() throws {
    let line = String(
      decoding: try JSONLine.encode(ControlResponse.acquaintances([Self.member])), as: UTF8.self)
    #expect(
      line == #"{"acquaintances":[{"admission":"group","colour":"ff8000","failures":0,"#
        + #""id":"xwgx4ts5vfnxyrxk2ikhgbhqt3w6ltkyqcnqtwmaxqmjixj2ua4q","#
        + #""idWords":"mosaic border rainbow gymnast siesta napkin forest equator","#
        + #""isRecording":true,"name":"B","role":"stage left","state":"member","version":"0.1.0"}],"ok":true}"#
    )
  }

  @Test func `what a node says of itself cannot command the terminal, nor lengthen the line`() {
    var member = Self.member
    let hostile = "\u{1B}[2J\u{7}\u{202E}x\ny" + String(repeating: "z", count: 300)
    (member.name, member.role, member.version) = (hostile, hostile, hostile)
    for line in AcquaintanceTable.text([member]).split(separator: "\n") {
      #expect(line.count <= StatusTable.columns)
      #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
  }
}
