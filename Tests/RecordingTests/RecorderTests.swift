import Audio
import Glibc
import Synchronization
import TestKit
import Testing

@testable import Recording

/// A recorder on its thread; who begins and ends it never waits for a disk.
@Suite struct RecorderTests {
  private static let rate = 48_000
  let folder: TestFolder
  let deck: TapeDeck
  let events = Events()

  final class Events: Sendable {
    private let all = Mutex<[RecorderEvent]>([])
    func add(_ event: RecorderEvent) { all.withLock { $0.append(event) } }
    var count: Int { all.withLock { $0.count } }
    var failures: [String] {
      all.withLock { $0.compactMap { if case .failed(let one) = $0 { one.name } else { nil } } }
    }
  }

  init() throws {
    folder = try TestFolder()
    deck = try TapeDeck(sampleRate: Self.rate, keepsTalkers: true, keepsMix: true)
  }

  private func recorder() throws -> Recorder {
    var settings = TakeSettings(directory: folder.path)
    settings.keptFreeBytes = 0
    let labels = TakeLabels(nodeName: "home", software: "test", moment: "take", serial: 1)
    return try Recorder(settings, labels: labels, deck: deck) { [events] in events.add($0) }
  }

  /// Waits for something, for as long as a busy machine may take.
  private func wait(_ isSo: () -> Bool) -> Bool {
    for _ in 0..<6000 where !isSo() { usleep(5000) }
    return isSo()
  }

  @Test func `it begins, records, tells of a file that fails, and ends as asked`() throws {
    let recorder = try recorder()
    #expect(wait { recorder.report.phase == .running })
    for number in 1...100 {
      let name = number == 1 ? "late" : "late-\(number)"
      try #require(unsafe mkdir("\(folder.path)/take/\(name).opus", 0o700) == 0)
    }
    let home = try #require(deck.claim(for: "home"))
    _ = try #require(deck.claim(for: "late"))
    home.write([Float](repeating: 0.25, count: Self.rate).span, at: 0, floor: 0)
    deck.publish(Int64(Self.rate))
    #expect(wait { recorder.report.seconds == 1 })
    #expect(events.failures == ["late"])
    recorder.end()
    #expect(wait { recorder.isOver })
    let report = recorder.report
    #expect(report.phase == .ended && report.hasBegun && report.path == "\(folder.path)/take")
    #expect(report.fileCount == 2 && report.failures.count == 1)
    #expect(wait { events.count == 2 })
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount"))
  func `a disk that does not answer holds nobody up, and gets nothing when it does`() throws {
    let disk = try #require(DeadDisk(at: folder.path))
    let recorder = try recorder()
    usleep(100_000)
    #expect(recorder.report.phase == .beginning && !recorder.isOver)
    recorder.end()
    #expect(!recorder.isOver && !recorder.report.hasBegun)
    disk.giveUp()
    #expect(wait { recorder.isOver })
    guard case .failed = recorder.report.phase else {
      Issue.record("it began")
      return
    }
    #expect(unsafe access("\(folder.path)/take", F_OK) != 0)
  }
}
