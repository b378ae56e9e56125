import Foundation
import Remote
import StatusSchema
import Testing

@testable import TestRig

/// Messages on the page of a real node, in a real browser whose microphone plays a file.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "apt-get install chromium libnss3-tools"))
struct MessagesJackTests {
  private static func messages(of node: NodeProcess) throws -> [MessageStatus] {
    guard case .messages(let all) = try node.ask(.messages(MessageRequest())) else { return [] }
    return all
  }

  /// - Parameter directory: is to be there as long as the browser records.
  private func stage(in directory: TemporaryDirectory) throws -> PageStage {
    let file = directory.file("said.wav")
    let said = Array(try Speech.sentences().prefix(12 * 48_000))
    try WAV.write(Sound(channels: [said], sampleRate: 48_000), to: file)
    return try PageStage(
      others: 1,
      browserArguments: [
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        "--use-file-for-fake-audio-capture=\(file)",
        "--autoplay-policy=no-user-gesture-required",
      ])
  }

  /// Opens the conversation with the whole group.
  private func open(_ page: BrowserPage) throws {
    try page.value(of: "location.hash = 'messages'")
    try page.wait("document.querySelector('.messages li > button')")
    try page.value(
      of: """
        [...document.querySelectorAll('.messages li > button')]
          .find((one) => one.textContent.includes('foh')).click()
        """)
    try page.wait("document.querySelector('.thread:not([hidden])')")
  }

  private func type(_ text: String, into page: BrowserPage) throws {
    try page.value(
      of: """
        (() => {
          document.querySelector('.thread .entry input').value = '\(text)';
          document.querySelector('.thread .entry button').click();
        })()
        """)
  }

  @Test func `what is typed on the page is at the other station, and what comes is on all pages`()
    throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-messages")
    defer { withExtendedLifetime(directory) {} }
    let stage = try stage(in: directory)
    let other = stage.stations[1].node
    let page = try stage.page(.talk, name: "Anna")
    let second = try stage.page(.listen, name: "Ben")
    try open(page)
    try open(second)
    try type("Doors in five <b>now</b>", into: page)
    try page.wait(
      "document.querySelector('.message.own p')?.textContent === 'Doors in five <b>now</b>'")
    try second.wait("document.querySelector('.message.own')")
    try waitUntil("foh has it", within: 10) { () throws(RigError) in
      try other.status().messages?.last == 1
    }
    #expect(try Self.messages(of: other).map(\.text) == ["Doors in five <b>now</b>"])
    let state = "document.querySelector('.message.own > small').textContent"
    try page.wait("\(state).includes('delivered')")
    // Ben may read and not write.
    let entry = "document.querySelector('.thread .entry input')"
    #expect(try second.value(of: "\(entry).disabled") == "true")

    // What comes is unread until a page that may talk has shown it, and is shown safely.
    try page.value(of: "location.hash = 'talk'")
    _ = try other.ask(.say(to: "stage", text: "One\u{202E} two\u{7}"))
    try page.wait("document.querySelector('#tabs .count').textContent === '1'")
    try second.wait("document.querySelector('.message.unread')")
    #expect(
      try second.value(of: "document.querySelector('.message.unread p').textContent")
        == "One\u{FFFD} two\u{FFFD}")
    try page.value(of: "location.hash = 'messages'")
    try page.wait("document.querySelectorAll('.message').length === 2")
    try page.wait("document.querySelector('#tabs .count').textContent === ''")
    let read = MessageRequest()
    _ = try other.ask(.messages(read))
    try waitUntil("foh knows that it was read", within: 10) { () throws(RigError) in
      guard case .messages(let all) = try other.ask(.messages(read)) else { return false }
      return all.last?.recipients?.first?.state == "read"
    }
  }

  @Test func `a voice message is recorded on the page, and plays there and at the other station`()
    throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-messages")
    defer { withExtendedLifetime(directory) {} }
    let stage = try stage(in: directory)
    let other = stage.stations[1].node
    let page = try stage.page(.talk, name: "Anna")
    let second = try stage.page(.listen, name: "Ben")
    try open(page)
    try open(second)
    let buttons = "[...document.querySelectorAll('.recording button')]"
    func press(_ word: String) throws {
      try page.value(of: "\(buttons).find((one) => one.textContent === '\(word)').click()")
    }
    let begin = "document.querySelector('.write > button').click()"
    try page.value(of: begin)
    try page.wait("document.querySelector('.recording output').textContent === '00:01'")
    try press("Delete")
    try page.wait("document.querySelector('.recording').hidden")
    #expect(try Self.messages(of: other).isEmpty)

    try page.value(of: begin)
    try page.wait("document.querySelector('.recording output').textContent === '00:02'")
    try page.wait(
      "document.querySelector('.recording .meter').getAttribute('aria-valuenow') > -50")
    try press("Pause")
    try page.wait("\(buttons)[0].textContent === 'Go on'")
    pause(seconds: 1.5)
    try press("Go on")
    try page.wait("document.querySelector('.recording output').textContent === '00:04'")
    try press("Send")
    try page.wait("document.querySelector('.message.own .voice')", within: 30)
    try second.wait("document.querySelector('.message.own .voice')")
    try waitUntil("foh has it", within: 10) { () throws(RigError) in
      try other.status().messages?.last == 1
    }
    let voice = try #require(try Self.messages(of: other).first?.voice)
    #expect((3.9...5.5).contains(voice.seconds), "\(voice.seconds) s, without the pause")
    #expect(voice.peaks.contains { $0 >= "2" }, "it is not silent")

    // It plays, from where it is asked to, and at the speed asked for.
    try second.value(
      of: """
        (() => {
          const seek = document.querySelector('.wave input');
          seek.value = 2;
          seek.dispatchEvent(new Event('input'));
          document.querySelector('.voice .quiet').click();
          document.querySelector('.play').click();
        })()
        """)
    try second.wait("document.querySelector('.voice output').textContent.startsWith('00:03')")
    #expect(try second.value(of: "document.querySelector('.voice .quiet').textContent") == "1.5×")
    try second.wait("document.querySelector('.play').ariaPressed === 'false'")
  }
}
