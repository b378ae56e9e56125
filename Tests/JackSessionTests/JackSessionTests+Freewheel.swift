import Audio
import TestJack
import Testing

@testable import JackSession

/// A server that runs periods at any speed, as for an export.
extension JackSessionTests {
  @Test
  func `while the server freewheels nothing is captured, and it is told; then sound is back`()
    async throws
  {
    let server = try await TestServer.start()
    let station = try Station(server: server.name)
    let looks = LookingThread(station.session.makeLook())
    defer { looks.stop() }
    #expect(await station.runs())
    try server.freewheel(true)
    #expect(await eventually { station.log.events.contains(.freewheels(server: server.name)) })
    #expect(station.session.freewheels)
    let before = station.engine.counters
    let captured = station.engine.captureAvailableFrames
    // Longer than a server that stands still is left untold.
    try await Task.sleep(for: .seconds(3))
    #expect(station.engine.counters.callbacks == before.callbacks)
    #expect(station.engine.captureAvailableFrames == captured)
    #expect(station.session.problem == nil)
    try server.freewheel(false)
    #expect(await eventually { !station.session.freewheels })
    #expect(await eventually { station.engine.counters.callbacks > before.callbacks + 10 })
    #expect(station.engine.counters.missedPeriods == before.missedPeriods)
    let told = station.log.events.drop { $0 != .freewheels(server: server.name) }
    #expect(told.count == 2, "\(told)")
    guard case .freewheelEnded = told.last else {
      Issue.record("\(told)")
      return
    }
  }

  @Test func `a change of the period is told within a second, and nothing else of it`() async throws
  {
    let server = try await TestServer.start(periodFrames: 256)
    let station = try Station(server: server.name)
    #expect(await station.runs())
    // Its first callback comes after 171 ms.
    try server.setPeriod(frames: 8192)
    let clock = ContinuousClock()
    let start = clock.now
    let isTold = { (frames: Int) in
      station.log.contains {
        if case .periodChanged(let changed) = $0 { changed.periodFrames == frames } else { false }
      }
    }
    #expect(await eventually { isTold(8192) })
    // Ten seconds were possible.
    #expect(clock.now - start < .seconds(3))
    try server.freewheel(true)
    try server.freewheel(false)
    #expect(await eventually { !station.session.freewheels })
    try await Task.sleep(for: .seconds(1))
    #expect(
      station.log.events.count { if case .periodChanged = $0 { true } else { false } } == 1)
  }
}
