import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

/// The view Messages, in a real browser whose microphone plays a file.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "apt-get install chromium libnss3-tools"))
struct MessagesJackTests {
  /// The conversation that is open.
  private static let thread = "document.querySelector('.thread:not([hidden])')"

  private static func messages(of node: NodeProcess) throws(RigError) -> [MessageStatus] {
    guard case .messages(let all) = try node.ask(.messages(MessageRequest())) else { return [] }
    return all
  }

  private func stage(
    _ arguments: [String] = [], in directory: TemporaryDirectory
  ) throws -> PageStage {
    let file = directory.file("said.wav")
    let said = Array(try Speech.sentences().prefix(12 * 48_000))
    try WAV.write(Sound(channels: [said], sampleRate: 48_000), to: file)
    return try PageStage(
      others: 1, arguments: arguments,
      browserArguments: [
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        "--use-file-for-fake-audio-capture=\(file)",
        "--autoplay-policy=no-user-gesture-required",
      ])
  }

  /// A page with the conversation with foh.
  private func conversation(_ stage: PageStage, _ rights: PageRights) throws -> BrowserPage {
    let page = try stage.page(rights, name: "\(rights)")
    try page.value(of: "location.hash = 'messages'")
    let foh =
      "[...document.querySelectorAll('.messages li > button')]"
      + ".find((one) => one.textContent.includes('foh'))"
    try page.wait(foh)
    try page.value(of: "\(foh).click()")
    try page.wait(Self.thread)
    return page
  }

  private func press(_ word: String, in place: String, _ page: BrowserPage) throws {
    let button =
      "[...document.querySelectorAll('\(place) button')]"
      + ".find((one) => one.textContent === '\(word)')"
    try page.wait("\(button)?.disabled === false")
    try page.value(of: "\(button).click()")
  }

  @Test func `a text goes from the page to a station and back, and is deleted here`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-messages")
    defer { withExtendedLifetime(directory) {} }
    let stage = try stage(in: directory)
    let other = stage.stations[1].node
    let page = try conversation(stage, .operate)
    let text = "Doors in five <b>now</b>"
    try page.wait("\(Self.thread).querySelector('.entry input:enabled')")
    try page.value(of: "\(Self.thread).querySelector('.entry input').value = '\(text)'")
    try press("Send", in: ".thread .entry", page)
    try page.wait("document.querySelector('.message.own p')?.textContent === '\(text)'")
    try waitUntil("foh has it", within: 20) { () throws(RigError) in
      try Self.messages(of: other).map(\.text) == [text]
    }
    try page.wait(
      "document.querySelector('.message.own > small').textContent.includes('delivered')")
    // What comes is shown safely.
    _ = try other.ask(.say(to: "stage", text: "One\u{202E} two\u{7}"))
    try page.wait(
      "document.querySelector('.message:not(.own) p')?.textContent === 'One\u{FFFD} two\u{FFFD}'")
    // Here it is gone then, and the other station keeps it.
    try page.value(of: "document.querySelector('.message:not(.own) .more').click()")
    try press("Delete", in: ".message:not(.own) .fold", page)
    try press("Delete", in: "dialog", page)
    try page.wait("document.querySelectorAll('.message').length === 1")
    #expect(try Self.messages(of: stage.node).map(\.text) == [text])
    #expect(try Self.messages(of: other).count == 2)
  }

  @Test func `a text is sent to be spoken, edited, and has signs of both ends`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-messages")
    defer { withExtendedLifetime(directory) {} }
    let stage = try stage(in: directory)
    let other = stage.stations[1].node
    let page = try conversation(stage, .talk)
    try page.wait("\(Self.thread).querySelector('.entry input:enabled')")
    try page.value(of: "\(Self.thread).querySelector('.entry input').value = 'Doors in five'")
    try page.value(of: "\(Self.thread).querySelector('.check input').click()")
    try press("Send", in: ".thread .entry", page)
    // Foh has nobody who speaks, and says so: of a text that is only read it would not.
    try waitUntil("foh is to speak it", within: 20) { () throws(RigError) in
      try other.status().messages?.aloud?.problem != nil
    }

    try page.wait("document.querySelector('.message.own .fold').hidden")
    try page.value(of: "document.querySelector('.message.own .more').click()")
    try press("Edit", in: ".message.own .fold", page)
    let field = "document.querySelector('dialog textarea')"
    try page.wait("\(field).value === 'Doors in five'")
    try page.value(of: "\(field).value = 'Doors in ten'")
    try press("Send", in: "dialog", page)
    try page.wait("document.querySelector('.message.own p').textContent === 'Doors in ten'")
    try page.wait("document.querySelector('.message.own small').textContent.includes('edited')")
    try waitUntil("foh has the edit", within: 20) { () throws(RigError) in
      try Self.messages(of: other).map(\.text) == ["Doors in ten"]
    }

    func signs() throws(RigError) -> [String] {
      try Self.messages(of: other).first?.reactions?.map(\.sign) ?? []
    }
    try press("👍", in: ".message.own .fold", page)
    try waitUntil("foh has the sign", within: 20) { () throws(RigError) in
      try signs() == ["👍"]
    }
    let number = try #require(try Self.messages(of: other).first?.number)
    _ = try other.ask(.messageAct(.react(number: number, sign: "ok")))
    let shown = "document.querySelector('.message.own p:not(:first-of-type)').textContent"
    try page.wait("\(shown).includes('👍 \u{2068}You') && \(shown).includes('ok \u{2068}foh')")
    let pressed = "document.querySelector('.message.own .fold [aria-pressed=true]')"
    try page.wait("\(pressed)?.textContent === '👍'")
    // The same once more takes it back.
    try press("👍", in: ".message.own .fold", page)
    try waitUntil("foh has no sign of the stage", within: 20) { () throws(RigError) in
      try signs() == ["ok"]
    }
    try page.wait("!\(pressed)")
  }

  private static func time(_ selector: String) -> String {
    """
    (([, minutes, seconds]) => minutes * 60 + +seconds)(
      document.querySelector('\(selector)').textContent.match(/(\\d+):(\\d+)/))
    """
  }

  /// Records three seconds, with a pause in them, and sends them.
  private func record(_ page: BrowserPage) throws {
    let record = "[...document.querySelectorAll('.write button')].at(-1)"
    try page.wait("!\(record).disabled")
    try page.value(of: "\(record).click()")
    try page.wait("!document.querySelector('.recording').hidden")
    try page.wait("\(Self.time(".recording output")) >= 1")
    try press("Pause", in: ".recording", page)
    try press("Go on", in: ".recording", page)
    try page.wait("\(Self.time(".recording output")) >= 3")
    try press("Send", in: ".recording", page)
  }

  @Test(arguments: [true, false])
  func `a voice message is recorded on the page, sent, and played with its waveform`(
    hasOpus: Bool
  ) throws {
    let directory = try TemporaryDirectory(prefix: "comlink-messages")
    defer { withExtendedLifetime(directory) {} }
    let speech = try FakeSpeech()
    speech.text.withLock { $0 = "Doors open in five minutes." }
    let stage = try stage(["--speech-asr", "tcp://127.0.0.1:\(speech.port)"], in: directory)
    let other = stage.stations[1].node
    let page = try conversation(stage, .talk)
    // As a browser without an encoder is.
    if !hasOpus { try page.value(of: "delete globalThis.AudioEncoder") }
    try record(page)
    try page.wait("document.querySelector('.message.own .voice')", within: 30)
    try page.wait("document.querySelector('.recording').hidden")
    // What is said in it stands below, once the service has told.
    try page.wait(
      "document.querySelector('.message.own .voice + p')?.textContent.startsWith('Doors open')",
      within: 30)
    try waitUntil("foh has it", within: 30) { () throws(RigError) in
      try Self.messages(of: other).first?.voice != nil
    }
    let voice = try #require(try Self.messages(of: other).first?.voice)
    #expect(voice.seconds >= 2.9)
    #expect(voice.peaks.contains { $0 >= "2" }, "it is not silent")

    // Its waveform has bars of different height, and it plays on, from where it is asked to.
    let heights = """
      (() => {
        const canvas = document.querySelector('.wave canvas');
        const pen = canvas.getContext('2d');
        const columns = Array.from({ length: 40 }, (_, index) => {
          const x = Math.floor((index + 0.3) * canvas.width / 40);
          const { data } = pen.getImageData(x, 0, 1, canvas.height);
          return data.filter((value, at) => at % 4 === 3 && value > 0).length;
        });
        return Math.max(...columns) - Math.min(...columns);
      })()
      """
    try page.wait("\(heights) > 4")
    try page.value(
      of: """
        (() => {
          const seek = document.querySelector('.wave input');
          seek.value = 1;
          seek.dispatchEvent(new Event('input'));
          document.querySelector('.play').click();
        })()
        """)
    try page.wait("\(Self.time(".voice output")) >= 2")
    try page.wait("document.querySelector('.play').getAttribute('aria-pressed') === 'false'")
  }
}
