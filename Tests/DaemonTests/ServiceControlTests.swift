import Dispatch
import Foundation
import Remote
import StatusSchema
import Store
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

  @Test func `what is chosen is kept, refused where it does not hold, and taken back`()
    async throws
  {
    let folder = try TestFolder()
    let path = "\(folder.path)/state/chosen.toml"
    let file = "\(folder.path)/c.toml"
    try "role = \"x\"".write(toFile: file, atomically: false, encoding: .utf8)
    let source = ConfigurationSource(
      loader: ConfigurationLoader(surroundings: .ofThisProcess), path: file,
      flags: [(.state, .text("\(folder.path)/state")), (.bitrate, .integer(510))])
    let state = try NodeState(directory: "\(folder.path)/state", unixSeconds: 1)
    let choices = StationChoices(source: source, state: state, writer: StateWriter())
    #expect(
      await choices.choose(["name": "Küche \"1\""])
        == .done(note: "name Küche \"1\" holds from the next start: comlink restart"))
    #expect(
      await choices.choose(["profile": "wifi"])
        == .done(note: "profile wifi holds from the next start: comlink restart"))
    let effective = try source.loader.load(path: file, flags: source.flags)
    #expect(effective.configuration.name == "Küche \"1\"")
    #expect(effective.configuration.profile.text == "wifi")
    var facts = stat()
    #expect(unsafe stat(path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    let before = try String(contentsOfFile: path, encoding: .utf8)
    let wrong = [
      (["profile": "tent"], "profile must be"), (["name": ""], "name must"),
      (["profile": "saver"], "--bitrate is 510, too much"),
      (["ptime": "5"], "\"ptime\" cannot be chosen; choose name or profile"),
      (["name": "x", "colour": "ff0000"], "\"colour\" cannot"), ([:], "choose name or profile"),
    ]
    for (changes, words) in wrong {
      guard case .error(let message) = await choices.choose(changes) else {
        Issue.record("\(changes)")
        continue
      }
      #expect(message.contains(words), "\(message)")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
    _ = await choices.choose(["name": "default"])
    #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("name"))
    _ = await choices.choose(["profile": "default"])
    #expect(unsafe stat(path, &facts) == -1 && errno == ENOENT)
    #expect(try source.loader.load(path: file, flags: source.flags).origins[.profile] == nil)
    // Without a directory nothing can be kept, and it says so.
    let nowhere = StationChoices(
      source: source, state: try NodeState(directory: nil, unixSeconds: 1), writer: StateWriter())
    #expect(
      await nowhere.choose(["name": "x"])
        == .error(message: "this node has no state directory to keep a choice in: set --state"))
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
