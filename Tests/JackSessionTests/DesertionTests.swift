import Testing

@testable import JackSession

struct DesertionTests {
  private static let second: Int64 = 1_000_000_000
  private var desertion = Desertion()
  private var now: Int64 = 0
  private var periods: UInt64 = 7

  /// Looks each two seconds, for so long; returns after how many seconds it was suspected first.
  private mutating func suspicion(
    within seconds: Int64, isFreewheeling: Bool, periodsPerLook: UInt64
  ) -> Int64? {
    let start = now
    while now - start < seconds * Self.second {
      let isSuspected = desertion.isSuspected(
        periods: periods, isFreewheeling: isFreewheeling, nowNanoseconds: now)
      if isSuspected { return (now - start) / Self.second }
      now += 2 * Self.second
      periods += periodsPerLook
    }
    return nil
  }

  /// Expects the first suspicion after so many seconds, or none.
  private mutating func expect(
    _ seconds: Int64?, within limit: Int64, isFreewheeling: Bool = false,
    periodsPerLook: UInt64 = 0, at place: SourceLocation = #_sourceLocation
  ) {
    let found = suspicion(
      within: limit, isFreewheeling: isFreewheeling, periodsPerLook: periodsPerLook)
    #expect(found == seconds, sourceLocation: place)
  }

  @Test mutating func `who is called is not deserted`() {
    expect(nil, within: 600, periodsPerLook: 1)
  }

  @Test mutating func `after ten seconds without a period the server is to be asked, and again`() {
    expect(10, within: 60)
    desertion.restart()
    expect(10, within: 60)
  }

  @Test mutating func `a server that freewheels has deserted nobody`() {
    expect(nil, within: 600, isFreewheeling: true)
    // The last look then was two seconds ago.
    expect(8, within: 60)
  }

  @Test mutating func `who was suspended itself has nothing against the server`() {
    expect(nil, within: 4)
    now += 3600 * Self.second
    expect(nil, within: 4)
    periods += 1
    expect(nil, within: 8)
  }
}

struct JackImplementationTests {
  @Test(arguments: [
    ("1.9.21", JackImplementation.Kind.jackd, "1.9.21", "jackd 1.9.21"),
    ("3.0.0.0 (using PipeWire 0.3.65)", .pipeWire, "0.3.65", "PipeWire 0.3.65"),
    ("PipeWire", .pipeWire, "", "PipeWire"), ("", .jackd, "", "jackd"),
  ])
  func `the library's version tells whose JACK it is`(
    text: String, kind: JackImplementation.Kind, version: String, words: String
  ) {
    let implementation = JackImplementation(libraryVersion: text)
    #expect(implementation.kind == kind && implementation.version == version)
    #expect("\(implementation)" == words)
  }
}
