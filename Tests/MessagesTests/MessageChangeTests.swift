import Cryptography
import TestKit
import Testing

@testable import Messages

/// Edits and reactions.
@Suite(.timeLimit(.minutes(5))) struct MessageChangeTests {
  private let network: MessageNetwork
  private let group: Conversation

  init() throws {
    let group = try Group(name: "crew")
    self.group = .group(GroupTag(of: group))
    network = try MessageNetwork(count: 4, seed: 8, group: group)
    network.run(seconds: 10)
  }

  private func texts(_ index: Int) -> [MessageContent] {
    network.nodes[index].journal.history.map(\.content)
  }

  private func error(_ body: (MessageDesk, MessageTime) throws -> Void) throws -> SayError? {
    let now = MessageTime(steadyNanoseconds: network.nowNanoseconds, unixMilliseconds: 0)
    let desk = try #require(network.nodes[0].desk)
    do {
      try body(desk, now)
      return nil
    } catch {
      return error as? SayError
    }
  }

  @Test func `an edit takes the place of the text for all, and of who was away when it was made`()
    throws
  {
    let message = try #require(network.say("cue 3", from: 0, to: group))
    network.run(seconds: 3)
    network.kill(3)
    network.run(seconds: 1)
    for text in ["cue 4", "cue 5"] { #expect(network.edit(message, text, from: 0)) }
    network.run(seconds: 3)
    for index in 0...2 { #expect(texts(index) == [.text("cue 5")]) }
    #expect(texts(3) == [.text("cue 3")])
    network.kill(0)
    try network.start(3)
    network.run(seconds: 5)
    #expect(texts(3) == [.text("cue 5")])
    for node in network.nodes { #expect(node.journal.edited == [message.key]) }
    #expect(network.nodes[1].events.contains(.changed(message.key)))
  }

  @Test func `a sign is one of each member, is taken back, and waits for a message that is late`()
    throws
  {
    // 2 and 3 hear what 1 says of the message of 0 long before the message, which 1 does not keep.
    network.nodes[1].settings.keepBytes = 0
    network.kill(1)
    try network.start(1)
    network.run(seconds: 5)
    for index in 2...3 { network.cut(0, from: index) }
    let message = try #require(network.say("doors", from: 0, to: group))
    for index in 2...3 { network.cut(1, from: index) }
    network.run(seconds: 3)
    #expect(network.react(to: message, "\u{1F44D}", from: 1))
    #expect(network.react(to: message, "\u{2764}\u{FE0F}", from: 1))
    #expect(network.react(to: message, "ok", from: 0))
    network.kill(0)
    network.mend()
    network.run(seconds: 65)
    for index in 2...3 { #expect(texts(index).isEmpty) }
    try network.start(0)
    network.run(seconds: 65)
    let signs = [
      network.nodes[1].identity.id: "\u{2764}\u{FE0F}", network.nodes[0].identity.id: "ok",
    ]
    for node in network.nodes { #expect(node.journal.signs(at: message) == signs) }
    #expect(network.react(to: message, nil, from: 1))
    network.run(seconds: 3)
    for node in network.nodes { #expect(node.journal.signs(at: message).count == 1) }
  }

  @Test func `only own texts are edited, and what is no sign is refused in words`() throws {
    let other = try #require(network.say("mine", from: 1, to: group))
    let voice = try #require(network.speak(500, from: 0, to: group))
    let own = try #require(network.say("own", from: 0, to: group))
    network.run(seconds: 3)
    #expect(try error { try $0.edit(own.key.sequence + 1, to: "x", now: $1) } == .noMessage)
    #expect(try error { try $0.edit(voice.key.sequence, to: "x", now: $1) } == .notText)
    for text in ["", " \n\u{3000}"] {
      #expect(try error { try $0.edit(own.key.sequence, to: text, now: $1) } == .text(byteCount: 0))
    }
    for sign in [
      "", "\u{7}", "a\nb", "\u{202E}x", "\u{200D}", " ", String(repeating: "x", count: 17),
      "\u{E000}",
    ] {
      #expect(try error { try $0.react(to: other.key, sign, now: $1) } == .badSign, "\(sign)")
    }
    for sign in ["+1", "\u{1F469}\u{200D}\u{1F527}", "\u{1F1E9}\u{1F1EA}", "é", "ок"] {
      #expect(try error { try $0.react(to: other.key, sign, now: $1) } == nil, "\(sign)")
    }
    for error in [SayError.noMessage, .notText, .badSign] { #expect(!error.description.isEmpty) }
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `octets of edits and reactions are what they were, or refused`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let key = MessageKey(sender: network.nodes[0].identity.id, sequence: 9)
    let target = MessageKey(sender: network.nodes[1].identity.id, sequence: 7)
    for content in [
      MessageContent.edit(of: 8, text: "new"), .reaction(to: target, sign: "ok"),
      .reaction(to: target, sign: nil),
    ] {
      let octets = SealedContent(content, sentUnixMilliseconds: 5).octets(of: key)
      #expect(try SealedContent(octets, of: key, with: nil).content == content)
      for _ in 0..<Seeds.rounds(2000) {
        var changed = octets
        let place = Int.random(in: 40..<octets.count, using: &random)
        changed[place] = UInt8.random(in: 0...255, using: &random)
        if Bool.random(using: &random) {
          changed.removeLast(Int.random(in: 0..<octets.count, using: &random))
        }
        let read = try? SealedContent(changed, of: key, with: nil).content
        if case .edit(let sequence, let text)? = read {
          #expect((1..<9).contains(sequence) && !text.isEmpty)
        }
        if case .reaction(_, let sign?)? = read { #expect(MessageContent.isSign(sign)) }
      }
    }
    // An edit of what comes later, or of itself, is none.
    for sequence in [UInt64(9), 10, 0, .max] {
      let octets = SealedContent(.edit(of: sequence, text: "x"), sentUnixMilliseconds: 0)
        .octets(of: key)
      #expect(throws: MessageFault.unreadable) { try SealedContent(octets, of: key, with: nil) }
    }
  }
}
