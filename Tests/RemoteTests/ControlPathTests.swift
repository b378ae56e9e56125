import Testing

@testable import Remote

@Suite struct ControlPathTests {
  static let table: [(runtime: String?, owner: UInt32?, user: UInt32, path: String)] = [
    ("/run/user/7", 7, 7, "/run/user/7/comlink/control.sock"),
    ("/run/user/0", 0, 0, "/run/user/0/comlink/control.sock"),
    ("/run/user/7", 7, 0, "/run/comlink/control.sock"),
    ("/run/user/7", 7, 8, "/tmp/comlink-8/control.sock"),
    ("/run/user/7", nil, 7, "/tmp/comlink-7/control.sock"),
    ("run/user/7", 7, 7, "/tmp/comlink-7/control.sock"),
    (nil, nil, 7, "/tmp/comlink-7/control.sock"),
    (nil, nil, 0, "/run/comlink/control.sock"),
  ]

  @Test(arguments: table)
  func `the socket is where this user may trust it`(
    runtime: String?, owner: UInt32?, user: UInt32, path: String
  ) {
    let environment = runtime.map { ["XDG_RUNTIME_DIR": $0] } ?? [:]
    let found = ControlPath.forDaemon(environment: environment, userID: user) { _ in owner }
    #expect(found == path)
  }
}
