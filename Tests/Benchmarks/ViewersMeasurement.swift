import Foundation
import NIOCore
import Remote
import StatusSchema
import Synchronization
import TestRig

/// CPU of a node that many talk to, without viewers and with them, by turns; what the viewers get, and whether the
/// sound is the worse for it.
///
/// All that the node takes more is judged. The viewers' programs run on the node's cores and out of its caches,
/// so that its audio may be slower beside them, whoever serves them. Of pages, that is measured, too: in each
/// round as many look at an ``OtherPage`` of another process, and what the node takes more then is told. The
/// share of the threads that the audio runs on is told beside it.
struct ViewersMeasurement {
  private static let mostCPUPercent = 1.5
  /// Threads that the audio runs on, and whose work is the same with viewers and without.
  private static let audioThreads: Set<String> = ["comlink-loop", "jack-session"]
  private static let linesPerSecond = 20.0

  let bench: Bench
  let viewers: Int
  /// They look by the node's page.
  let havePages: Bool
  let talkers: Int
  let seconds: Double
  let rounds: Int

  func run() throws {
    let station = try CrowdedStation(of: bench, talkers: talkers, hasPage: havePages)
    let node = station.node
    pause(seconds: 3)
    let bare = try BareClient(of: bench)
    var (without, elsewhere, with): ([Usage], [Usage], [Usage]) = ([], [], [])
    var (watched, bareXruns) = (Lateness(), 0)
    let other = havePages ? try OtherPage(showing: try node.status()) : nil
    for round in 1...rounds {
      without.append(try cpu(of: node, "round \(round), nobody looks"))
      if let other {
        let audience = try Audience(at: other.port, count: viewers, invite: other.invite)
        pause(seconds: 1)
        let what = "round \(round), \(viewers) look elsewhere"
        elsewhere.append(try watch(audience, node, "round\(round).other", what))
      }
      let audience =
        try station.pagePort.map { try Audience(at: $0, count: viewers) { try Self.invite(node) } }
        ?? Audience(of: node.controlPath, count: viewers)
      pause(seconds: 1)
      let (before, xruns) = (try node.status(), bare.xruns)
      with.append(try watch(audience, node, "round\(round)", "round \(round), \(viewers) look"))
      watched.add(from: before, to: try node.status())
      bareXruns += bare.xruns - xruns
    }
    try other?.stop()
    station.stop()
    bare.stop()
    tell(without, elsewhere, with)
    bench.judge("viewers.underrun.work", Double(watched.own), "count", atMost: 0)
    bench.figures.add("viewers.missedPeriods", Double(watched.missed), "count")
    bench.figures.add("viewers.bare.xruns", Double(bareXruns), "count")
  }

  private func tell(_ without: [Usage], _ elsewhere: [Usage], _ with: [Usage]) {
    func median(_ values: [Double]) -> Double { values.sorted()[rounds / 2] }
    func cost(_ usage: [Usage], over base: [Usage], _ share: (Usage) -> Double) -> Double {
      median(zip(usage, base).map { share($0) - share($1) })
    }
    bench.figures.add("viewers.cpuWithout", median(without.map(\.all)), "%")
    bench.figures.add("viewers.cpuWith", median(with.map(\.all)), "%")
    bench.figures.add("viewers.cost.audio", cost(with, over: without, \.audio), "%")
    bench.figures.add("viewers.cost.beside", cost(with, over: without, \.beside), "%")
    bench.judge(
      "viewers.cost", cost(with, over: without, \.all), "%", atMost: Self.mostCPUPercent)
    guard !elsewhere.isEmpty else { return }
    bench.figures.add("viewers.cost.readers.audio", cost(elsewhere, over: without, \.audio), "%")
    bench.figures.add("viewers.cost.readers", cost(elsewhere, over: without, \.all), "%")
  }

  private static func invite(_ node: NodeProcess) throws -> String {
    guard case .pageInvitation(let one) = try node.ask(.pageInvite(rights: .listen, name: nil))
    else { throw RigError.status(reason: "no invitation") }
    return one.token
  }

  /// What the node takes while these look, who then go.
  private func watch(
    _ audience: Audience, _ node: NodeProcess, _ name: String, _ what: String
  ) throws -> Usage {
    audience.begin()
    let usage = try cpu(of: node, what)
    tell(audience.end(), "viewers.\(name)")
    return usage
  }

  /// Percent of a core.
  private struct Usage {
    /// Of the threads that the audio runs on, and of all others.
    var (audio, beside) = (0.0, 0.0)
    var all: Double { audio + beside }
  }

  private func cpu(of node: NodeProcess, _ what: String) throws(RigError) -> Usage {
    let process = node.process.identifier
    let before = ProcessUsage(of: process)
    bench.wait(what, seconds: seconds)
    guard let before, let after = ProcessUsage(of: process) else {
      throw .status(reason: "no CPU figures of the node")
    }
    let elapsed = Double(after.nanoseconds - before.nanoseconds) / 1e9
    func percent(_ seconds: (ProcessUsage) -> Double) -> Double {
      100 * (seconds(after) - seconds(before)) / elapsed
    }
    let audio = percent { usage in
      usage.threads.filter { Self.audioThreads.contains($0.name) }
        .reduce(0) { $0 + $1.cpuSeconds }
    }
    // Threads of the pool end when they are idle: what they took since they began is not to be missing then.
    return Usage(audio: audio, beside: percent(\.processSeconds) - audio)
  }

  private func tell(_ seen: [Audience.Seen], _ name: String) {
    let lines = seen.map { Double($0.lines) / seconds }.sorted()
    bench.figures.add("\(name).lines.least", lines.first ?? .nan, "1/s")
    bench.figures.add("\(name).lines.most", lines.last ?? .nan, "1/s")
    bench.figures.add(
      "\(name).bytes", Double(seen.map(\.bytes).max() ?? 0) / seconds / 1000, "kB/s")
    bench.figures.add("\(name).longestGap", seen.map(\.longestGap).max() ?? .nan, "ms")
    bench.doubts.check(
      "\(name): a viewer got \(Figures.fixed(lines.first ?? 0, 1)) lines a second of 20",
      lines.first ?? 0 < Self.linesPerSecond / 2)
  }
}

/// Subscribers that read what they are told, each on a thread of its own, and count it.
private final class Audience: Sendable {
  /// What a viewer got.
  struct Seen: Sendable {
    var (lines, bytes) = (0, 0)
    /// Milliseconds from one line to the next.
    var longestGap = 0.0
  }

  /// A page's connection.
  private struct Seat: PageHearing {
    let audience: Audience
    let index: Int
    func take(_ first: UInt8, _ octets: ArraySlice<UInt8>) {
      audience.note(octets.count, index)
    }
  }

  private let counts = Mutex<[Seen]>([])
  private let last = Mutex<[ContinuousClock.Instant?]>([])
  private let pages = Mutex<[any Channel]>([])
  private let isCounting = Atomic(false)
  private let isOver = Atomic(false)
  private let left = DispatchGroup()

  init(of path: String, count: Int) {
    counts.withLock { $0 = [Seen](repeating: Seen(), count: count) }
    last.withLock { $0 = Array(repeating: nil, count: count) }
    for index in 0..<count {
      left.enter()
      Thread.detachNewThread {
        try? self.look(at: path, index)
        self.left.leave()
      }
    }
  }

  /// Pages, each signed in with a token of its own.
  init(at port: Int, count: Int, invite: () throws -> String) throws {
    counts.withLock { $0 = [Seen](repeating: Seen(), count: count) }
    last.withLock { $0 = Array(repeating: nil, count: count) }
    for index in 0..<count {
      let way = (host: "127.0.0.1", from: "127.0.0.\(2 + index)")
      let cookie = try PageDoor.signIn(port, way, token: try invite(), name: "Page \(index)")
      let page = try PageDoor.open(
        "/ws", port, way, cookie: cookie, Seat(audience: self, index: index))
      let request = Array(#"{"request":"subscribe","levels":"list"}"#.utf8)
      page.writeAndFlush(PageDoor.frame(0x81, request), promise: nil)
      pages.withLock { $0.append(page) }
    }
  }

  /// Counts from now on.
  func begin() { isCounting.store(true, ordering: .relaxed) }

  /// Everybody goes.
  ///
  /// - Returns: what each got; nothing for one that was not let in.
  func end() -> [Seen] {
    isCounting.store(false, ordering: .relaxed)
    isOver.store(true, ordering: .relaxed)
    left.wait()
    for page in pages.withLock({ $0 }) { page.close(promise: nil) }
    return counts.withLock { $0 }
  }

  private func look(at path: String, _ index: Int) throws {
    var client = try ControlClient(path: path)
    guard try client.request(.subscribe(levels: .named)) == .ok else { return }
    while !isOver.load(ordering: .relaxed) {
      guard let line = try client.line(until: .now + .milliseconds(200)) else { continue }
      note(line.count + 1, index)
    }
  }

  /// A viewer got a line of so many octets.
  private func note(_ bytes: Int, _ index: Int) {
    guard isCounting.load(ordering: .relaxed) else { return }
    let now = ContinuousClock.now
    let before = last.withLock { last in
      defer { last[index] = now }
      return last[index]
    }
    counts.withLock { counts in
      counts[index].lines += 1
      counts[index].bytes += bytes
      if let before {
        counts[index].longestGap = max(counts[index].longestGap, (now - before) / .milliseconds(1))
      }
    }
  }
}
