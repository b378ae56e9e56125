import Foundation
import Speech
import Synchronization
import TestKit
import Testing

@testable import NodeDaemon

/// Where `./dev speech --set-up` installs its Python.
enum SpeechInstalled {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  static let python = "\(root)/.build/speech/bin/python"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python) }
}

/// The station as a voice satellite, driven as Home Assistant does it.
@Suite(.timeLimit(.minutes(1))) struct SatelliteServiceTests {
  private func service(_ ear: TestEar) throws -> SatelliteService {
    var settings = SpeechSettings()
    settings.satellite = try Configuration.place("127.0.0.1:0")
    return SatelliteService(settings, door: ear, log: LogLines().logger("assistant"))
  }

  @Test(
    .enabled(
      if: SpeechInstalled.isThere,
      "the wyoming package is not installed: ./dev speech --set-up does it"))
  func `the protocol's own client has microphone and ear, and gives them back`() async throws {
    let ear = TestEar()
    ear.sound.withLock { $0 = [] }
    let service = try service(ear)
    await service.start(named: "Stage left")
    let port = try #require(await service.port)
    ear.say(seconds: 8)
    let client = Process()
    client.executableURL = URL(filePath: SpeechInstalled.python)
    client.arguments = [
      "\(SpeechInstalled.root)/Tests/SpeechService/satellite_client.py", "\(port)",
    ]
    let output = Pipe()
    client.standardOutput = output
    try client.run()
    while client.isRunning { try await Task.sleep(for: .milliseconds(20)) }
    #expect(client.terminationStatus == 0)
    let said = try JSONSerialization.jsonObject(with: output.fileHandleForReading.availableData)
    let told = try #require(said as? [String: Any])
    #expect(told["name"] as? String == "Stage left")
    #expect(told["played"] as? Bool == true)
    #expect(try #require(told["level"] as? Double) > 300)
    // Half a second of a tone at 702 Hz, as it was sent.
    let heard = ear.sound.withLock { $0 ?? [] }
    let loud = heard.filter { abs($0) > 0.01 }.count
    #expect((22_000...25_000).contains(loud))
    while ear.opened.withLock({ $0 > 0 }) { try await Task.sleep(for: .milliseconds(10)) }
    await service.finish()
  }
}
