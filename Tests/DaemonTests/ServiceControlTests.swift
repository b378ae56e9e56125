import Dispatch
import StatusSchema
import Synchronization
import Testing

@testable import NodeDaemon

@Suite struct ServiceControlTests {
  @Test func `a restart ends a service once, and nothing that nobody would start again`() {
    let ends = Mutex(0)
    let service = RestartWish(isService: true) { ends.withLock { $0 += 1 } }
    #expect(!service.isMade)
    #expect(service.make() && service.make() && service.isMade)
    #expect(ends.withLock { $0 } == 1)
    let program = RestartWish(isService: false) { ends.withLock { $0 += 1 } }
    #expect(!program.make() && !program.isMade)
    #expect(ends.withLock { $0 } == 1)
  }

  @Test func `the battery is not looked at with each status, and none waits for it`() async throws {
    let looks = Mutex(0)
    let driver = DispatchSemaphore(value: 0)
    let watch = BatteryWatch {
      driver.wait()
      looks.withLock { $0 += 1 }
      return BatteryStatus(percent: 9, isPlugged: false)
    }
    #expect(watch.status == nil, "the driver takes its time")
    driver.signal()
    for _ in 0..<500 where watch.status == nil { try await Task.sleep(for: .milliseconds(10)) }
    for _ in 0..<20 { #expect(watch.status?.percent == 9) }
    #expect(looks.withLock { $0 } == 1)
  }
}
