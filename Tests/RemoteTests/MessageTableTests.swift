import Remote
import StatusSchema
import Testing

@Suite struct MessageTableTests {
  @Test func `an edit and signs are shown, and send nothing to the terminal`() {
    var message = MessageStatus(
      number: 7, conversation: "line:stage", sender: "anna", senderID: "ab", isOwn: false,
      sentUnixSeconds: 0, takenUnixSeconds: 0, text: "cue 5", isRead: false)
    #expect(MessageTable.text(message, time: "T") == "7* T  anna \u{2192} line:stage: cue 5\n")
    message.editedUnixSeconds = 1
    message.reactions = [
      MessageStatus.Reaction(sign: "+1", name: "", id: "01"),
      MessageStatus.Reaction(sign: "\u{1B}[2J", name: "bert", id: "02"),
    ]
    let text = MessageTable.text(message, time: "T")
    #expect(text.hasPrefix("7* T  anna \u{2192} line:stage (edited): cue 5\n    +1 you, "))
    #expect(text.hasSuffix(" bert\n") && !text.contains("\u{1B}"))
  }

  @Test func `what joins letters and emoji stays in a text, and nothing else that is unseen`() {
    let text = "\u{1F469}\u{200D}\u{1F527} \u{645}\u{6CC}\u{200C}\u{62E}"
    let message = MessageStatus(
      number: 7, conversation: "line:stage", sender: "an\u{200D}na", senderID: "ab", isOwn: false,
      sentUnixSeconds: 0, takenUnixSeconds: 0, text: text + "\u{202E}\u{200B}", isRead: true)
    #expect(
      MessageTable.text(message, time: "T") == "7  T  an?na \u{2192} line:stage: \(text)??\n")
  }

  @Test func `a transcript stands below its voice message, and sends nothing to the terminal`() {
    var message = MessageStatus(
      number: 7, conversation: "line:stage", sender: "anna", senderID: "ab", isOwn: false,
      sentUnixSeconds: 0, takenUnixSeconds: 0, text: nil, isRead: true)
    message.voice = VoiceMessageStatus(seconds: 65, bytes: 1, peaks: "")
    let first = "7  T  anna \u{2192} line:stage: voice message, 1:05\n"
    #expect(MessageTable.text(message, time: "T") == first)
    message.voice?.transcript = "cue 5\n\u{1B}[2J"
    let text = MessageTable.text(message, time: "T")
    #expect(text.hasPrefix(first + "    cue 5\n    ") && !text.contains("\u{1B}"))
  }
}
