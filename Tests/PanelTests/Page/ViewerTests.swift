import NIOCore
import Remote
import Testing

@testable import Panel

/// An open page: its WebSocket, with good and with hostile ends.
@Suite(.timeLimit(.minutes(1))) struct ViewerTests {
  private static let talkOn = #"{"held":true,"on":true,"request":"talk"}"#

  /// Returns once the node was asked for it.
  private func asked(_ request: ControlRequest, _ rig: PageRig, times: Int = 1) async throws {
    while rig.node.requests.count(where: { $0 == request }) < times {
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  @Test func `a page asks as the control socket does, and is answered in order`() async throws {
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn())
      page.say(#"{"request":"mute","peer":"B","on":true}"#)
      page.say(#"{"request":"nonsense"}"#)
      page.say(#"{"request":"status"}"#)
      #expect(try await page.message() == #"{"ok":true}"#)
      #expect(try await page.message().hasPrefix(#"{"error":"not a request: unknown request"#))
      #expect(try await page.message().contains(#""micLevelDBFS""#))
      #expect(rig.node.requests == [.mute(peer: "B", isOn: true), .status])
    }
  }

  @Test func `who subscribes gets the node, then what changes`() async throws {
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn(.listen))
      page.say(#"{"request":"subscribe","levels":true}"#)
      #expect(try await page.message() == #"{"ok":true}"#)
      #expect(try await page.message().contains(#""name":"A""#))
      rig.node.rename("Z", number: 9)
      #expect(try await page.message() == "{\"node\":{\"name\":\"Z\"}}\n")
    }
  }

  @Test func `all pages are told of each change, whoever asks or goes meanwhile`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      var pages: [PageVisitor] = []
      for _ in 0..<6 {
        let page = try await rig.open(cookie: cookie)
        page.say(#"{"request":"subscribe"}"#)
        _ = try await (page.message(), page.message())
        pages.append(page)
      }
      for number: UInt64 in 1...20 {
        if number.isMultiple(of: 5) { pages.removeLast().frame(0x88, []) }
        pages[0].say(#"{"request":"version"}"#)
        rig.node.rename("\(number)", number: number)
        var toFirst = [try await pages[0].message(), try await pages[0].message()]
        toFirst.removeAll { $0 == #"{"ok":true}"# }
        #expect(toFirst == ["{\"node\":{\"name\":\"\(number)\"}}\n"])
        for page in pages.dropFirst() {
          #expect(try await page.message() == "{\"node\":{\"name\":\"\(number)\"}}\n")
        }
      }
      #expect(pages.count == 2)
    }
  }

  @Test func `levels come as a list to a page that asks for one`() async throws {
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn(.listen))
      page.say(#"{"request":"subscribe","levels":"lists"}"#)
      #expect(try await page.message().contains(#"levels are true, false or \"list\""#))
      page.say(#"{"request":"subscribe","levels":"list"}"#)
      #expect(try await page.message() == #"{"ok":true}"#)
      #expect(try await page.message().contains(#""levels":[-120.0]"#))
    }
  }

  @Test(arguments: [0, 125, 126, 65_535, 65_536])
  func `a line of any length is one message in one piece`(count: Int) {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: count)
    var message = Viewer.message(line)
    #expect(message.readInteger() == UInt8(0x81))
    switch message.readInteger(as: UInt8.self) {
    case 126: #expect(count > 125 && message.readInteger(as: UInt16.self).map(Int.init) == count)
    case 127: #expect(count > 65_535 && message.readInteger(as: UInt64.self) == UInt64(count))
    case let short: #expect(short.map(Int.init) == count)
    }
    #expect(message.readBytes(length: message.readableBytes) == line)
  }

  @Test(arguments: PageRights.allCases)
  func `each right may what it may, and is told what it lacks`(rights: PageRights) async throws {
    let requests: [(String, PageRights)] = [
      (#"{"request":"peers"}"#, .listen), (#"{"request":"talk","on":false}"#, .talk),
      (#"{"request":"block","peer":"B"}"#, .operate),
      (#"{"request":"group-new","group":"x"}"#, .admin),
    ]
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn(rights))
      for (request, needed) in requests {
        page.say(request)
        let answer = try await page.message()
        if needed <= rights {
          #expect(answer == #"{"ok":true}"#)
        } else {
          #expect(answer.contains("this phone may not do that"))
        }
      }
      #expect(rig.node.requests.count == requests.count { $0.1 <= rights })
    }
  }

  @Test func `nobody opens a page without signing in, or with another's cookie`() async throws {
    try await PageRig.run { rig in
      for cookie in [nil, "__Host-comlink-\(rig.page.port)=", "__Host-comlink-1=x", "a", "=;=;;"] {
        let answer = try await rig.answer(
          "GET", "/ws", origin: "https://\(rig.host)", cookie: cookie, more: PageRig.upgrade)
        #expect(answer.status == 401)
      }
    }
  }

  @Test func `whoever was signed out is closed at once`() async throws {
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn(name: "Anna"))
      let other = try await rig.open(cookie: try await rig.signIn(name: "Ben"))
      #expect(rig.access.sessions.map(\.isOpen) == [true, true])
      #expect(rig.access.revoke("Anna") == 1)
      #expect(try await page.closeCode() == 1008)
      other.say(#"{"request":"version"}"#)
      #expect(try await other.message() == #"{"ok":true}"#)
    }
  }

  @Test func `the page after the last place is told so, and comes in when one is free`()
    async throws
  {
    var limits = PageLimits()
    limits.viewers = 2
    try await PageRig.run(limits: limits) { rig in
      let cookie = try await rig.signIn()
      var open = try await [rig.open(cookie: cookie), rig.open(cookie: cookie)]
      let answer = try await rig.answer(
        "GET", "/ws", origin: "https://\(rig.host)", cookie: cookie, more: PageRig.upgrade)
      #expect(answer.status == 503 && answer.body.contains("too many pages"))
      open[0].frame(0x88, [])
      try await open.removeFirst().closing()
      while (try? await rig.open(cookie: cookie)) == nil {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  @Test func `64 pages at once are served, and the 65th is not`() async throws {
    var limits = PageLimits()
    limits.connectionsOfAddress = 200
    try await PageRig.run(limits: limits) { rig in
      let cookie = try await rig.signIn()
      var open: [PageVisitor] = []
      for _ in 0..<64 { open.append(try await rig.open(cookie: cookie)) }
      for page in open { page.say(#"{"request":"subscribe","levels":true}"#) }
      for page in open { #expect(try await page.message() == #"{"ok":true}"#) }
      let answer = try await rig.answer(
        "GET", "/ws", origin: "https://\(rig.host)", cookie: cookie, more: PageRig.upgrade)
      #expect(answer.status == 503)
    }
  }

  @Test func `a held key is released when its page goes`() async throws {
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn())
      page.say(Self.talkOn)
      #expect(try await page.message() == #"{"ok":true}"#)
      page.frame(0x88, [])
      try await asked(.talk(isOn: false), rig)
    }
  }

  @Test func `a held key is released when nothing comes any more, and not before`() async throws {
    var limits = PageLimits()
    limits.holdTime = .milliseconds(300)
    try await PageRig.run(limits: limits) { rig in
      let page = try await rig.open(cookie: try await rig.signIn())
      page.say(Self.talkOn)
      for _ in 0..<10 {
        try await Task.sleep(for: .milliseconds(50))
        page.say(#"{"request":"version"}"#)
      }
      try await asked(.version, rig, times: 10)
      #expect(!rig.node.requests.contains(.talk(isOn: false)))
      try await asked(.talk(isOn: false), rig)
    }
  }

  @Test func `what a page holds without a name has its own, and no other's is changed`()
    async throws
  {
    try await PageRig.run { rig in
      let page = try await rig.open(cookie: try await rig.signIn())
      for holder in ["", #","holder":"pad 1""#] {
        for request in ["press", "release"] {
          page.say(#"{"request":"key-\#(request)","key":"stage"\#(holder)}"#)
          #expect(try await page.message() == #"{"ok":true}"#)
        }
      }
      let holders = rig.node.requests.map { request -> String? in
        switch request {
        case .key(.press("stage", let holder)), .key(.release("stage", let holder, nil)): holder
        default: nil
        }
      }
      #expect(holders.count == 4 && holders[0]?.hasPrefix("page ") == true)
      #expect(holders[1] == holders[0] && holders[2] == "pad 1" && holders[3] == "pad 1")
    }
  }

  @Test func `a latched key stays when its page goes`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      let page = try await rig.open(cookie: cookie)
      page.say(Self.talkOn)
      page.say(#"{"held":false,"on":true,"request":"talk"}"#)
      page.say(#"{"request":"version"}"#)
      for _ in 0..<3 { _ = try await page.message() }
      page.frame(0x88, [])
      try await page.closing()
      while rig.access.sessions.first?.isOpen == true {
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(rig.node.requests == [.talk(isOn: true), .talk(isOn: true), .version])
    }
  }

  static let hostile: [(String, UInt8, Int, Bool, Int?)] = [
    ("a message that is not masked", 0x81, 2, false, 1002), ("octets", 0x82, 2, true, 1003),
    ("a reserved bit", 0xC1, 2, true, 1002), ("an unknown opcode", 0x83, 2, true, nil),
    ("a ping of 126 octets", 0x89, 126, true, nil),
    ("a message of 70 000 octets", 0x81, 70_000, true, nil),
    ("a continuation of nothing", 0x80, 2, true, nil),
  ]

  @Test(arguments: hostile)
  func `a frame that is none ends its page alone`(
    what: String, first: UInt8, count: Int, isMasked: Bool, code: Int?
  ) async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      let other = try await rig.open(cookie: cookie)
      let page = try await rig.open(cookie: cookie)
      page.frame(first, Array(repeating: UInt8(ascii: "{"), count: count), isMasked: isMasked)
      if let code { #expect(try await page.closeCode() == code) }
      try await page.closing()
      other.say(#"{"request":"version"}"#)
      #expect(try await other.message() == #"{"ok":true}"#)
    }
  }

  @Test func `fragments without end, and a flood, are cut off`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      let dripping = try await rig.open(cookie: cookie)
      dripping.frame(0x01, [UInt8(ascii: "{")])
      for _ in 0..<20 { dripping.frame(0x00, [UInt8(ascii: " ")]) }
      try await dripping.closing()
      let flooding = try await rig.open(cookie: cookie)
      for _ in 0..<200 { flooding.frame(0x8A, []) }
      #expect(try await flooding.closeCode() == 1008)
    }
  }

  @Test func `who answers no ping is let go of`() async throws {
    var limits = PageLimits()
    (limits.pingInterval, limits.patience) = (.milliseconds(50), .milliseconds(300))
    try await PageRig.run(limits: limits) { rig in
      let page = try await rig.open(cookie: try await rig.signIn())
      #expect(try await page.frame().opcode == 9)
      try await page.closing()
    }
  }

  @Test func `who does not read what it is shown is let go of, and holds nobody up`() async throws {
    var limits = PageLimits()
    (limits.pingInterval, limits.patience) = (.milliseconds(50), .milliseconds(500))
    try await PageRig.run(limits: limits) { rig in
      let cookie = try await rig.signIn()
      let slow = try await rig.open(cookie: cookie)
      slow.say(#"{"request":"subscribe","levels":true}"#)
      _ = try await slow.message()
      _ = try await slow.message()
      _ = try await slow.channel.setOption(.autoRead, value: false).get()
      let other = try await rig.open(cookie: cookie)
      other.say(#"{"request":"subscribe"}"#)
      _ = try await (other.message(), other.message())
      // Fills what the systems at both ends take, by a document of some hundred kB.
      let end = ContinuousClock.now + .seconds(15)
      var number: UInt64 = 10
      while rig.access.openPages == 2, .now < end {
        rig.node.rename(String(repeating: "x", count: 400_000) + "\(number)", number: number)
        slow.frame(0x8A, [])
        other.frame(0x8A, [])
        number += 1
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(rig.access.openPages == 1)
      #expect(other.channel.isActive)
    }
  }
}
