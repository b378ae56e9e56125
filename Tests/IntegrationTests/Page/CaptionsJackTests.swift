import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

/// The view Captions, in a real browser.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "apt-get install chromium libnss3-tools"))
struct CaptionsJackTests {
  private static let view = "document.querySelector('.captions')"
  private static let rows = "[...document.querySelectorAll('.captions .list li')]"

  private func press(_ name: String, _ page: BrowserPage) throws {
    let button =
      "[...document.querySelectorAll('.captions button')]"
      + ".find((one) => one.textContent === '\(name)')"
    try page.wait("\(button)?.disabled === false")
    try page.value(of: "\(button).click()")
  }

  @Test func `what is said is read live, in large type, safely, and who scrolls back stays there`()
    throws
  {
    let service = try FakeSpeech()
    service.partial.withLock { $0 = "Stand" }
    // As JSON has it.
    service.text.withLock { $0 = #"<b>Stand</b> by \u202E\u0007 שלום"# }
    let stage = try PageStage(
      others: 1, othersArguments: ["--speech-asr", "tcp://127.0.0.1:\(service.port)"])
    let captioner = stage.stations[1].node
    let page = try stage.page(.operate, name: "operate")
    try page.value(of: "location.hash = 'captions'")
    try page.wait("\(Self.view)?.textContent.includes('Nothing is captioned')")
    _ = try captioner.ask(.session(.host(name: "Show <i>one</i>", line: "all", isSolo: false)))
    try page.wait("\(Self.view).textContent.includes('Show <i>one</i>')")
    try page.value(of: "\(Self.view).querySelector('.pads button').click()")
    // What foh's own microphone hears.
    func waitFor(_ text: String) throws {
      try page.wait("\(Self.rows).some((one) => one.querySelector('p').textContent === '\(text)')")
    }
    try waitFor("Stand perhaps …")
    try waitFor("<b>Stand</b> by \u{FFFD}\u{FFFD} שלום")
    #expect(try page.value(of: "\(Self.view).querySelectorAll('b, i').length") == "0")
    try page.wait("\(Self.rows)[0].querySelector('strong').textContent === 'foh'")

    let size = "parseFloat(getComputedStyle(\(Self.rows)[0].querySelector('p')).fontSize)"
    try page.value(of: "window.before = \(size)")
    try page.value(
      of: "((one) => { one.value = 80; one.dispatchEvent(new Event('input')) })("
        + "\(Self.view).querySelector('input[type=range]'))")
    try page.wait("\(size) === 80 && before === 28")
    try page.value(of: "\(Self.view).querySelector('input[type=checkbox]').click()")
    let pane = "\(Self.view).querySelector('.list')"
    try page.wait("getComputedStyle(\(pane)).backgroundColor === 'rgb(255, 255, 255)'")

    // Follows what comes, until somebody scrolls back.
    try page.wait("\(pane).scrollHeight > 2 * \(pane).clientHeight", within: 60)
    try page.wait("\(pane).scrollHeight - \(pane).scrollTop - \(pane).clientHeight < 80")
    try page.wait("(\(pane).scrollTop = 0, !\(Self.view).querySelector('.main').hidden)")
    try waitUntil("the host to see that the reader is behind", within: 60) {
      () throws(RigError) in
      let hosted = try captioner.status().captions?.hosted.first
      return hosted?.listeners.first.map { $0.name == "stage" && $0.behindSeconds > 3 } ?? false
    }
    try page.wait("\(pane).scrollTop === 0")
    try press("Newest", page)
    try page.wait("\(pane).scrollHeight - \(pane).scrollTop - \(pane).clientHeight < 80")
  }
}
