import Testing

@testable import NodeDaemon

@Suite struct ServiceEnvironmentTests {
  @Test func `started by hand there is nobody to tell`() {
    let environment = ServiceEnvironment(["HOME": "/root"], process: 7)
    #expect(environment.notifySocket == nil)
    #expect(environment.watchdogMicroseconds == nil)
  }

  @Test(arguments: ["/run/systemd/notify", "@notify"])
  func `systemd names its socket`(name: String) {
    #expect(ServiceEnvironment(["NOTIFY_SOCKET": name], process: 7).notifySocket == name)
  }

  static let watchdogs: [(variables: [String: String], microseconds: UInt64?)] = [
    (["WATCHDOG_USEC": "10000000"], 10_000_000),
    (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"], 10_000_000),
    (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"], nil),
    (["WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "seven"], nil),
    (["WATCHDOG_USEC": "0"], nil),
    (["WATCHDOG_USEC": "-1"], nil),
    (["WATCHDOG_USEC": "soon"], nil),
    (["WATCHDOG_USEC": "18446744073709551615"], nil),
    (["WATCHDOG_PID": "7"], nil),
  ]

  @Test(arguments: watchdogs)
  func `a watchdog is ours when it names no other process and a time`(
    variables: [String: String], microseconds: UInt64?
  ) {
    let environment = ServiceEnvironment(variables, process: 7)
    #expect(environment.watchdogMicroseconds == microseconds)
  }
}
