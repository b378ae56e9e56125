import Audio
import Foundation
import Glibc
import Testing

@testable import Recording

/// Real disks that are small, full or read-only: tmpfs, mounted by root.
@Suite(.enabled(if: geteuid() == 0, "only root may mount"))
struct SmallDiskTests {
  private static let rate = 48_000
  private let folder: TestFolder
  private let disk: Mount

  /// A tmpfs of 3 MB, taken away with the object.
  private final class Mount {
    let path: String

    init(_ path: String, options: String) throws {
      self.path = path
      try #require(unsafe mount("tmpfs", path, "tmpfs", 0, options) == 0)
    }

    deinit { unsafe umount2(path, Int32(MNT_DETACH)) }

    func makeReadOnly() -> Bool {
      unsafe mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
    }
  }

  init() throws {
    folder = try TestFolder()
    disk = try Mount(folder.path, options: "size=3m")
  }

  private func settings() -> TakeSettings {
    var settings = TakeSettings(directory: folder.path)
    settings.format = .wav
    settings.keptFreeBytes = 0
    return settings
  }

  /// Runs a recorder, sound coming as fast as it is written, until it ends by itself.
  private func end(of settings: TakeSettings) throws -> RecordingReport {
    let deck = try TapeDeck(sampleRate: Self.rate, keepsTalkers: true, keepsMix: false)
    let tape = try #require(deck.claim(for: "home"))
    let labels = TakeLabels(nodeName: "home", software: "test", moment: "take", serial: 1)
    let recorder = try Recorder(settings, labels: labels, deck: deck) { _ in }
    let second = [Float](repeating: 0.25, count: Self.rate)
    var position: Int64 = 0
    while !recorder.isOver, position < Int64(120 * Self.rate) {
      tape.write(second.span, at: position, floor: position)
      position += Int64(Self.rate)
      deck.publish(position)
      while Double(position) / Double(Self.rate) - recorder.report.seconds > 3, !recorder.isOver {
        usleep(5000)
      }
    }
    return recorder.report
  }

  @Test func `a full disk ends the recording, and what fitted can be read`() throws {
    // Somebody else's file grows after the room was looked at.
    let report = try end(of: settings())
    guard case .failed(let error) = report.phase else {
      Issue.record("it went on")
      return
    }
    #expect(error == .spaceFloor(bytes: 0, path: report.path))
    let sound = try #require(WAVSound(try folder.bytes("take/home.wav")))
    #expect(sound.frames[0].count > 10 * Self.rate)
    #expect(sound.frames[0].allSatisfy { $0 == 0.25 })
  }

  @Test func `what is to stay free stays free`() throws {
    var settings = settings()
    settings.keptFreeBytes = 2_000_000
    let report = try end(of: settings)
    #expect(report.phase == .failed(.spaceFloor(bytes: 2_000_000, path: report.path)))
    let facts = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
    #expect(facts[.systemFreeSize] as? Int ?? 0 >= 2_000_000)
  }

  @Test func `a file that finds no room is complete up to there`() throws {
    let take = try TakeFolder(in: folder.path, at: "take")
    let track = try WAVTrack(take.makeFile(for: "a", .wav), channels: 1, sampleRate: Self.rate)
    let error = #expect(throws: RecordingError.self) {
      for _ in 0..<100 { try track.write([Float](repeating: 0.5, count: Self.rate).span) }
    }
    #expect("\(error!)".hasSuffix("the disk is full"))
  }

  @Test func `a disk that is read-only is told as such`() throws {
    try #require(disk.makeReadOnly())
    let deck = try TapeDeck(sampleRate: Self.rate, keepsTalkers: true, keepsMix: true)
    let labels = TakeLabels(nodeName: "home", software: "test", moment: "take", serial: 1)
    let recorder = try Recorder(settings(), labels: labels, deck: deck) { _ in }
    while !recorder.isOver { usleep(5000) }
    let report = recorder.report
    guard case .failed(let error) = report.phase else {
      Issue.record("it began")
      return
    }
    #expect("\(error)".contains("the disk is read-only"))
    #expect(!report.hasBegun && report.path == folder.path)
  }
}
