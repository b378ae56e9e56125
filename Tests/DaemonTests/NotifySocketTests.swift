import Glibc
import TestKit
import Testing

@testable import NodeDaemon

@Suite struct NotifySocketTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test(arguments: [false, true])
  func `a notice arrives as one datagram, by path and by abstract name`(isAbstract: Bool) throws {
    let name = isAbstract ? "@comlink-test-\(getpid())" : "\(folder.path)/notify"
    let listener = try NoticeListener(name)
    let socket = try NotifySocket(name)
    try socket.send("READY=1\nSTATUS=sound runs")
    try socket.send("WATCHDOG=1")
    #expect(listener.next(withinMilliseconds: 1000) == "READY=1\nSTATUS=sound runs")
    #expect(listener.next(withinMilliseconds: 1000) == "WATCHDOG=1")
    #expect(listener.next(withinMilliseconds: 0) == nil)
  }

  @Test(arguments: [
    ("vsock:2:1234", EAFNOSUPPORT), ("/nowhere/notify", ENOENT), ("@comlink-nobody", ECONNREFUSED),
    ("/" + String(repeating: "x", count: 108), ENAMETOOLONG),
  ])
  func `a name that leads nowhere is refused with the reason`(name: String, code: Int32) {
    #expect(Self.code { _ = try NotifySocket(name) } == code)
  }

  @Test func `a listener that went away is an error and not the end`() throws {
    let name = "\(folder.path)/notify"
    var listener: NoticeListener? = try NoticeListener(name)
    let socket = try NotifySocket(name)
    _ = listener?.next(withinMilliseconds: 0)
    listener = nil
    #expect(Self.code { try socket.send("WATCHDOG=1") } == ECONNREFUSED)
  }

  private static func code(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return 0
    } catch {
      return (error as? NotifySocket.Errno)?.code ?? -1
    }
  }
}
