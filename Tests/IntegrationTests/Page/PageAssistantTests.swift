import Remote
import StatusSchema
import TestKit
import Testing

@testable import TestRig

/// The assistant on the page, in a real browser, with a station on a JACK server and services that follow a script.
@Suite(.serialized, .enabled(if: Browser.isInstalled, "apt-get install chromium libnss3-tools"))
struct PageAssistantTests {
  @Test func `who operates agrees, calls, and reads what was said`() throws {
    let (model, speech) = (try ModelServer(), try FakeSpeech())
    model.answers = ["Three miles.", "Title: The way\\nSummary: How far it is."]
    let stage = try PageStage(
      others: 1,
      arguments: [
        "--assistant-url", "http://127.0.0.1:\(model.port)/v1", "--assistant-line", "all",
        "--speech-asr", "tcp://127.0.0.1:\(speech.port)",
        "--speech-tts", "tcp://127.0.0.1:\(speech.port)",
      ])
    let page = try stage.page(name: "Anna")
    func press(_ word: String) throws {
      let button =
        "[...document.querySelectorAll('section button')]"
        + ".find((one) => one.textContent === '\(word)')"
      try page.wait("\(button)?.disabled === false")
      try page.value(of: "\(button).click()")
    }
    try page.value(of: "location.hash = 'assistant'")
    try page.wait("document.body.innerText.includes('Nobody agreed yet.')")
    try page.wait("document.body.innerText.includes('http://127.0.0.1:\(model.port)/v1')")
    try press("Agree and keep")
    try page.wait("document.body.innerText.includes('Agreed, kept.')")
    try page.wait("document.body.innerText.includes('All of this is set in the tables')")
    try ask(page)
    try press("End")
    try stage.wait("the session has its title") { $0.assistant?.calls == 0 }
    try lookAround(as: try stage.page(.talk, name: "Ben"))

    // On line all the assistant is a guest of the station, as long as the call goes on.
    try press("Call")
    try stage.wait("it listens") { $0.assistant?.state == "listening" }
    try stage.wait("it is on the line") { $0.guests?.contains { $0.name == "Assistant" } == true }
    #expect(try stage.node.status().assistant?.line == "all")
    try page.wait("document.querySelector('section [role=status]').textContent === 'Listening'")
    try press("End")
    try stage.wait("it is over") { $0.assistant?.calls == 0 && $0.guests?.isEmpty != false }

    try page.wait("document.body.innerText.includes('The way')")
    try page.value(of: "document.querySelectorAll('.more').forEach((one) => one.click())")
    try page.wait("document.body.innerText.includes('How far it is.')")
    try page.wait("document.querySelectorAll('.message').length === 4")
    #expect(
      try page.value(of: "document.querySelector('.fold .message.own').innerText")
        == "How far is it?")
    try press("Agree no more, delete all")
    try page.value(of: "document.querySelector('dialog .danger').click()")
    try page.wait("document.body.innerText.includes('Nobody agreed yet.')")
    try page.wait("!document.querySelector('.fold .message')")
    try page.value(of: "location.hash = 'settings'")
    try page.wait("[...document.querySelectorAll('option')].some(one => one.value === 'strongest')")
  }

  /// Types a question; the answer stands below it.
  private func ask(_ page: BrowserPage) throws {
    try page.value(
      of: """
        (input => {input.value = 'How far is it?'; input.form.requestSubmit()})(
          document.querySelector('section .entry input'))
        """)
    try page.wait("document.querySelectorAll('.message').length === 2")
    let said = "[...document.querySelectorAll('.message')].map(one => one.innerText).join()"
    #expect(try page.value(of: said) == "How far is it?,Three miles.")
    try page.wait("document.querySelector('section .entry input').value === ''")
  }

  /// Who may only talk calls and types, and agrees to nothing for others.
  private func lookAround(as talker: BrowserPage) throws {
    try talker.value(of: "location.hash = 'assistant'")
    try talker.wait("document.body.innerText.includes('Agreed, kept.')")
    let disabled =
      "[...document.querySelectorAll('section button')].map(one => +one.disabled).join()"
    #expect(try talker.value(of: disabled) == "0,0,1,1,1")
  }
}
