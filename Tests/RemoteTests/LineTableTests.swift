import StatusSchema
import Testing

@testable import Remote

@Suite struct LineTableTests {
  @Test func `lines say what happens there, and names cannot send commands`() {
    var stage = LineStatus(name: "stage")
    (stage.isJoined, stage.isListening, stage.isTalking) = (true, true, true)
    stage.levelDecibels = -6
    (stage.members, stage.talkers) = (["Anna", "B\u{1B}[2J"], ["Anna"])
    stage.display = "S\u{1B}T"
    var video = LineStatus(name: "video")
    video.members = ["Carl"]
    var all = LineStatus(name: "all")
    (all.isJoined, all.port) = (true, "line_all")
    let lines = LineTable.text([all, stage, video]).split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].hasPrefix("all ") && lines[0].contains(" - port "))
    #expect(lines[1].contains("listen TALK -6.0 dB"))
    #expect(lines[1].hasSuffix("  as S?T  *Anna, B?[2J"))
    #expect(lines[2].contains("not joined") && lines[2].hasSuffix("Carl"))
    #expect(lines.allSatisfy { $0.count <= StatusTable.columns })
  }

  @Test func `keys say how they are set and where they stand`() {
    var key = KeyStatus(
      name: "show", lines: ["stage", "video"], activation: "talk", latchMilliseconds: 0)
    (key.isHeld, key.isLatched, key.tally, key.interlock) = (true, true, .talk, 3)
    (key.talkers, key.midi) = (["Anna"], "cc 64")
    var bert = KeyStatus(name: "bert", lines: [], activation: "talk")
    bert.latchRefusedBy = "Bert"
    let text = KeyTable.text([
      key, KeyStatus(name: "all", lines: ["all"], activation: "talk"), bert,
    ])
    let lines = text.split(separator: "\n")
    #expect(lines.count == 3 && lines[2].contains("talk, no latch at Bert"))
    #expect(lines[0].hasPrefix("show "))
    #expect(lines[0].contains("talk held latched"))
    #expect(lines[0].contains("talk, no latch, interlock 3, cc 64  stage, video  *Anna"))
    #expect(lines[1].contains("off ") && lines[1].contains("latch 200 ms  all"))
  }

  @Test func `calls say who rings, who talks and who is answered`() {
    var (calls, ring, talk, own) = (
      CallsStatus(), CallStatus(peer: "Anna"), CallStatus(peer: "B\u{1B}[2J"), CallStatus(peer: "")
    )
    (ring.isRinging, ring.line) = (true, "stage")
    (talk.isTalking, talk.isAnswering) = (true, true)
    (own.isRinging, own.line) = (true, "video")
    (calls.incoming, calls.outgoing, calls.announcers) = ([ring, talk], [own], ["Carl"])
    let lines = CallTable.text(calls).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("from  Anna ") && lines[0].hasSuffix("rings on line stage"))
    #expect(lines[1].hasPrefix("from  B?[2J ") && lines[1].hasSuffix("talks REPLY"))
    #expect(lines[2].hasPrefix("to    all ") && lines[2].hasSuffix("rings on line video"))
    #expect(lines[3].hasPrefix("from  Carl ") && lines[3].hasSuffix("announces"))
  }
}
