import StatusSchema
import Testing

@testable import Remote

@Suite struct KnownNodeTableTests {
  private static var member: KnownNodeStatus {
    var member = KnownNodeStatus(name: "B", state: "member")
    member.id = "xwgx4ts5vfnxyrxk2ikhgbhqt3w6ltkyqcnqtwmaxqmjixj2ua4q"
    member.idWords = "mosaic border rainbow gymnast siesta napkin forest equator"
    member.role = "stage left"
    member.colour = "ff8000"
    member.version = "0.1.0"
    member.admission = "group"
    member.isRecording = true
    return member
  }

  private static var asking: KnownNodeStatus {
    var asking = KnownNodeStatus(name: "", state: "asks to be let in")
    asking.secondsLeft = 12.25
    return asking
  }

  private static func called(_ state: String, isAwaited: Bool) -> KnownNodeStatus {
    var called = KnownNodeStatus(name: "10.0.0.9:5004", state: state)
    called.failures = 2
    called.attempt = AttemptStatus(number: 3, isAwaited: isAwaited, secondsLeft: 8.25)
    return called
  }

  private static var connecting: KnownNodeStatus {
    var connecting = called("connecting", isAwaited: false)
    connecting.attempt?.address = 2
    connecting.attempt?.addressCount = 4
    return connecting
  }

  @Test func `the table looks like this`() {
    let known = [
      Self.member, Self.asking, Self.connecting, Self.called("securing", isAwaited: false),
      Self.called("waiting to try again", isAwaited: true),
    ]
    #expect(
      KnownNodeTable.text(known) == """
        B                         member (group), RECORDING, stage left, comlinkd 0.1.0, colour ff8000
          mosaic border rainbow gymnast siesta napkin forest equator
        (no name)                 asks to be let in, declined in 12 s
        10.0.0.9:5004             connecting, attempt 3, address 2 of 4, 8 s left
        10.0.0.9:5004             securing, attempt 3, 8 s left
        10.0.0.9:5004             waiting to try again, attempt 3 in 8 s

        """)
  }

  @Test func `the JSON is this`() throws {
    let line = String(
      decoding: try JSONLine.encode(ControlResponse.knownNodes([Self.member, Self.connecting])),
      as: UTF8.self)
    let expected = [
      #"{"knownNodes":[{"admission":"group","colour":"ff8000","failures":0,"#,
      #""id":"xwgx4ts5vfnxyrxk2ikhgbhqt3w6ltkyqcnqtwmaxqmjixj2ua4q","#,
      #""idWords":"mosaic border rainbow gymnast siesta napkin forest equator","#,
      #""isRecording":true,"name":"B","role":"stage left","state":"member","version":"0.1.0"},"#,
      #"{"attempt":{"address":2,"addressCount":4,"isAwaited":false,"number":3,"secondsLeft":8.25},"#,
      #""failures":2,"name":"10.0.0.9:5004","state":"connecting"}],"ok":true}"#,
    ]
    #expect(line == expected.joined())
  }

  @Test func `what a node says of itself cannot command the terminal, nor lengthen the line`() {
    var member = Self.member
    let hostile = "\u{1B}[2J\u{7}\u{202E}x\ny" + String(repeating: "z", count: 300)
    (member.name, member.role, member.version) = (hostile, hostile, hostile)
    for line in KnownNodeTable.text([member]).split(separator: "\n") {
      #expect(line.count <= StatusTable.columns)
      #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }
  }
}
