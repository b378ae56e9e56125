import Foundation
import Speech
import Testing

@testable import SpeechLink

/// A service by the `wyoming` package's own server.
@Suite(
  .timeLimit(.minutes(1)),
  .enabled(
    if: Installed.isThere,
    "the wyoming package is not installed: ./dev speech --set-up does it"))
struct WyomingPackageTests {
  private func all(_ line: SpeechLine) async -> [SpeechNews] {
    var all: [SpeechNews] = []
    while let news = await line.next() { all += news }
    return all
  }

  @Test(arguments: [false, true])
  func `the package's own server recognises, speaks and wakes`(streams: Bool) async throws {
    let path = "\(NSTemporaryDirectory())/comlink-wyoming-\(UUID().uuidString.prefix(8)).sock"
    let server = Process()
    server.executableURL = URL(filePath: Installed.python)
    server.arguments = [
      "\(Installed.root)/Tests/SpeechService/wyoming_server.py", path, streams ? "1" : "0",
    ]
    try server.run()
    defer {
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
      try? FileManager.default.removeItem(atPath: path)
    }
    while !FileManager.default.fileExists(atPath: path), server.isRunning {
      try await Task.sleep(for: .milliseconds(20))
    }
    let (link, address) = (SpeechLink(), ServiceAddress.unix(path: path))
    guard case .offer(let offer)? = await all(try link.call(.describe, at: address)).first else {
      Issue.record("no offer")
      return
    }
    #expect(offer.recognises && offer.speaks && offer.wakes && offer.streamsText == streams)
    #expect(offer.voices.map(\.name) == ["tone"] && offer.words.map(\.name) == ["ok_comlink"])
    try await recognise(by: link, at: address, streams: streams)
    let sound = await all(
      try link.call(.speak(text: "three short words", voice: "tone"), at: address))
    #expect(sound.first == .soundBegins(SoundFormat(rate: 22_050, channels: 1)))
    let octets = sound.reduce(0) { if case .sound(let pcm) = $1 { $0 + pcm.count } else { $0 } }
    #expect(octets == 3 * 2205 * 2 && sound.last == .done)
    let wake = try link.call(.wake(words: ["ok_comlink"]), at: address)
    wake.append(sound: [UInt8](repeating: 1, count: 40_000))
    var woken: SpeechNews?
    while woken == nil, let news = await wake.next() { woken = news.first }
    #expect(woken == .woke(word: "ok_comlink"))
    wake.stop()
    link.stop()
  }

  private func recognise(
    by link: SpeechLink, at address: ServiceAddress, streams: Bool
  ) async throws {
    let line = try link.call(.recognise(language: "en"), at: address)
    for _ in 0..<10 { line.append(sound: [UInt8](repeating: 0, count: 3200)) }
    line.finishSound()
    let news = await all(line)
    let texts = news.compactMap { news -> String? in
      guard case .text(let text, let language, _) = news else { return nil }
      #expect(language == "en")
      return text
    }
    #expect(texts == ["32000 octets"])
    #expect(news.contains(.partial(stable: "32000 ", unstable: "")) == streams)
  }
}
