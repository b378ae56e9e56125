import JackSession
import Testing

@testable import NodeDaemon

@Suite struct ServiceLifeTests {
  private static let second: UInt64 = 1_000_000
  private static let running = JackSessionEvent.running(
    JackConnection(
      server: "default", client: "comlink", periodFrames: 128, sampleRate: 48_000,
      realtimePriority: 65))
  private var life = ServiceLife(watchdogMicroseconds: second, user: "comlink")

  @Test mutating func `it is ready once sound runs, and once only`() {
    #expect(
      life.audio(.waiting(server: "default"))
        == "STATUS=waiting for JACK server 'default' of user comlink")
    let first = life.audio(Self.running) ?? ""
    #expect(first.hasPrefix("READY=1\nSTATUS=JACK client 'comlink' runs on server 'default'"))
    #expect(life.audio(.serverGone(server: "default")) == "STATUS=JACK server 'default' is gone")
    let second = life.audio(Self.running) ?? ""
    #expect(second.hasPrefix("STATUS=JACK client"))
  }

  @Test mutating func `a refusal is told in one line, whatever its words`() {
    let event = JackSessionEvent.refused(server: "default", reason: "no place\nREADY=1")
    #expect(life.audio(event) == "STATUS=no place READY=1")
  }

  @Test mutating func `a loop that turns extends the start, and feeds the watchdog after it`() {
    #expect(life.look(turns: 1) == "EXTEND_TIMEOUT_USEC=1000000")
    #expect(life.look(turns: 2) == "EXTEND_TIMEOUT_USEC=1000000")
    _ = life.audio(Self.running)
    #expect(life.look(turns: 3) == "WATCHDOG=1")
  }

  @Test(arguments: [false, true])
  mutating func `a loop that is stuck gives no sign of life until it turns again`(isReady: Bool) {
    if isReady { _ = life.audio(Self.running) }
    #expect(life.look(turns: 5) != nil)
    for _ in 0..<10 { #expect(life.look(turns: 5) == nil) }
    #expect(life.look(turns: 6) != nil)
  }

  @Test mutating func `a loop that turns while sound is lost gives none, until it is not lost`() {
    _ = life.audio(Self.running)
    #expect(life.look(turns: 5) == "WATCHDOG=1")
    #expect(life.look(turns: 6, isSoundLost: true) == nil)
    #expect(life.look(turns: 7) == "WATCHDOG=1")
  }

  @Test mutating func `a server that stands still changes the status only, and the loop feeds on`()
  {
    _ = life.audio(Self.running)
    let told = life.audio(.standsStill(server: "default", seconds: 2)) ?? ""
    #expect(told.hasPrefix("STATUS=JACK server 'default' has stalled"))
    #expect(life.look(turns: 8) == "WATCHDOG=1")
    #expect(
      life.audio(.answers(server: "default", seconds: 9))
        == "STATUS=JACK server 'default' answers again, after 9 s")
  }

  @Test mutating func `a loop that never turned gives none`() {
    #expect(life.look(turns: 0) == nil)
  }

  @Test mutating func `without a watchdog only the start is watched`() {
    var life = ServiceLife(watchdogMicroseconds: nil, user: "comlink")
    #expect(life.look(turns: 1) == "EXTEND_TIMEOUT_USEC=10000000")
    _ = life.audio(Self.running)
    #expect(life.look(turns: 2) == nil)
  }

  @Test func `several looks fit into what systemd waits`() {
    #expect(life.lookMicroseconds == Self.second / 4)
    #expect(ServiceLife(watchdogMicroseconds: 1, user: "").lookMicroseconds == 1)
  }

  @Test mutating func `the end is told, and nothing after it`() {
    #expect(life.end() == "STOPPING=1\nSTATUS=shutting down")
    #expect(life.audio(.waiting(server: "default")) == nil)
    #expect(life.audio(Self.running) == nil)
    #expect(life.look(turns: 9) == nil)
  }
}
