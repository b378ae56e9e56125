import Dispatch
import Synchronization
import Testing

@testable import NodeDaemon

/// The machine's name, as it changes.
@Suite struct HostNameWatchTests {
  /// Looks that go from name to name, and stay at the last.
  private final class Names: Sendable {
    private let rest: Mutex<[String]>
    init(_ names: [String]) { rest = Mutex(names) }
    func next() -> String { rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
  }

  @Test(.timeLimit(.minutes(1))) func `the name is told at once, and each change once`() async {
    let names = Names(["pi", "pi", "stage", "stage", "pi", "last"])
    let (told, continuation) = AsyncStream.makeStream(of: String.self)
    let watch = HostNameWatch(interval: .milliseconds(1), read: names.next) {
      continuation.yield($0)
    }
    var all: [String] = []
    for await name in told {
      all.append(name)
      if name == "last" { break }
    }
    watch.stop()
    #expect(all == ["pi", "stage", "pi", "last"])
  }

  @Test(arguments: [
    ("stage-left.example.org", "stage-left"), ("pi", "pi"), ("", "comlink"), (".x", "comlink"),
  ])
  func `a node is called by the first label of the machine's name`(host: String, name: String) {
    #expect(Configuration.nodeName(ofHost: host) == name)
  }
}
